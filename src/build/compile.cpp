#include "build/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "base/error.hpp"
#include "build/ptx.hpp"
#include "kernel/contract.hpp"
#include "kernel/kernel_arguments.hpp"
#include "kernel/local_arrays.hpp"

namespace clgemm {
namespace {

std::string platform_of(const cl::Device& device) {
  return cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>();
}

// Returns a lock that lets one thread compile at a time, if the implementation needs it. Without it, Oclgrind
// 21.10 crashed in 11 of 72 runs of clgemm-bench --races (Debian 12, two cores, 29 November 2026).
std::unique_lock<std::mutex> lock_of_compiler(const cl::Device& device) {
  static auto& compiling = *new std::mutex;  // may outlive static destructors
  return platform_of(device) == "Oclgrind" ? std::unique_lock(compiling) : std::unique_lock<std::mutex>();
}

// Returns the compiler's log. If the log cannot be read, the failure of the build must still be reported.
std::string log_of(const cl::Program& program, const KernelConfig& config, const cl::Device& device) {
  try {
    return with_written_places(program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device), config.file->source);
  } catch (const cl::Error& failure) {
    return fmt::format("(cannot read the compiler's log: {})", opencl_status_name(failure.err()));
  }
}

// Throws an Error if the kernel uses too much local memory. Static local arrays beyond the device's limit end
// the process on PoCL, and have no visible effect elsewhere. NVIDIA's compiler knows its devices better: they
// report 48 KiB, although over 200 KiB work.
void check_local_bytes(const KernelConfig& config, std::size_t used, const cl::Device& device) {
  const cl_ulong allowed = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
  if (used <= allowed || platform_of(device) == "NVIDIA CUDA") return;
  throw Error(ErrorCode::device_limit_exceeded,
              fmt::format("{} uses {} bytes of local memory; '{}' has {}", title_of(config), used,
                          device.getInfo<CL_DEVICE_NAME>(), allowed));
}

// Checks the arrays in the kernel's text. PoCL 6 does not report what its compiler found, which
// check_local_memory() asks for.
void check_local_arrays(const KernelConfig& config, const cl::Device& device) {
  Parameters macros = config.values;
  macros.insert(config.macros.begin(), config.macros.end());
  check_local_bytes(config, largest_local_array(config.file->source, macros), device);
}

bool knows_options_of_nvidia(const KernelConfig& config) {
  return config.build_options.find(verbose_option) != std::string::npos;
}

// For programs whose PTX will be assembled again, so that their first machine code is not used. The PTX does
// not depend on it. The first calls of fp16x3_wgmma, tf32x3_wgmma and direct take 0.85 of the time with this
// option (H200, 26 November 2026, geometric mean of three runs).
constexpr const char* quick_assembly = " -cl-nv-opt-level=0";

cl::Program compile_source(const KernelConfig& config, const std::string& options, const cl::Context& context,
                           const cl::Device& device) {
  cl::Program program(context, config.file->source);
  if (const cl_int status = build_program(program, options, device); status != CL_SUCCESS) {
    throw Error(ErrorCode::build_failed,
                fmt::format("{} does not compile on '{}', {}:\n{}", title_of(config),
                            device.getInfo<CL_DEVICE_NAME>(), opencl_status_name(status),
                            log_of(program, config, device)));
  }
  return program;
}

// Returns the program's PTX, changed as the manifest asks.
std::string changed_ptx(const std::string& ptx, const KernelConfig& config) {
  const std::string& target = config.manifest().ptx_target;
  const std::string result = target.empty() ? ptx : retargeted_ptx(ptx, target);
  return config.registers == 0 ? result : limited_ptx(result, config.registers);
}

// Lets the driver compile the program's PTX again, changed as the manifest asks.
cl::Program with_changed_ptx(const cl::Program& program, const KernelConfig& config,
                             const cl::Context& context, const cl::Device& device) {
  cl::Program result;
  const auto fail = [&](const std::string& why) {
    const std::string& target = config.manifest().ptx_target;
    const std::string what = target.empty() ? fmt::format("limited to {} registers", config.registers)
                                            : fmt::format("taken to {}", target);
    throw Error(ErrorCode::build_failed,
                fmt::format("{}: the PTX cannot be {}: {}", title_of(config), what, why));
  };
  try {
    const std::vector<unsigned char> binary = binary_of(program, device);
    const std::string before(binary.begin(), binary.end());
    const std::string ptx = changed_ptx(before, config);
    if (ptx == before && !knows_options_of_nvidia(config)) return program;
    result = cl::Program(context, {device}, cl::Program::Binaries{{ptx.begin(), ptx.end()}});
    // Options for the source do not apply to its PTX, except this one.
    const char* options = knows_options_of_nvidia(config) ? verbose_option.data() : nullptr;
    result.build(std::vector<cl::Device>{device}, options);
  } catch (const Error& error) {
    fail(error.what());
  } catch (const cl::BuildError& failure) {
    fail(failure.getBuildLog().empty() ? failure.what() : failure.getBuildLog().front().second);
  } catch (const cl::Error& failure) {
    fail(fmt::format("{}: {}", failure.what(), opencl_status_name(failure.err())));
  }
  return result;
}

// Returns "'gem', 'helper'", if the implementation reports the names.
std::string functions_of(const cl::Program& program) {
  try {
    std::string names = program.getInfo<CL_PROGRAM_KERNEL_NAMES>();
    while (!names.empty() && names.back() == '\0') names.pop_back();
    if (names.empty()) return "none";
    for (std::size_t end = names.find(';'); end != std::string::npos; end = names.find(';', end + 4)) {
      names.replace(end, 1, "', '");
    }
    return "'" + names + "'";
  } catch (const cl::Error&) {
    return "other functions, whose names this device does not report";
  }
}

cl::Kernel create_kernel(const KernelConfig& config, const cl::Program& program) {
  const char* const function = contract_of(config.manifest().role).function;
  cl::Kernel kernel;
  try {
    kernel = cl::Kernel(program, function);
  } catch (const cl::Error& failure) {
    throw Error(ErrorCode::invalid_kernel_file,
                fmt::format("{} has no usable kernel function '{}' ({}); it has {}", title_of(config),
                            function, opencl_status_name(failure.err()), functions_of(program)));
  }
  return kernel;
}

// Throws an Error if the number of arguments fits neither way of passing numbers.
Passing passing_of(const KernelConfig& config, const cl::Kernel& kernel) {
  const cl_uint arguments = kernel.getInfo<CL_KERNEL_NUM_ARGS>();
  const std::size_t one_by_one = number_of_arguments(config.manifest(), Passing::one_by_one);
  const std::size_t as_struct = number_of_arguments(config.manifest(), Passing::as_struct);
  if (arguments == as_struct) return Passing::as_struct;
  if (arguments == one_by_one) return Passing::one_by_one;
  throw Error(
      ErrorCode::invalid_kernel_file,
      fmt::format("{}: '{}' takes {} arguments, but the contract (kernels/README.md) requires {}, or {} "
                  "if all numbers are one argument of type Numbers",
                  title_of(config), contract_of(config.manifest().role).function, arguments, one_by_one,
                  as_struct));
}

// Returns whether the source has a reqd_work_group_size. Throws an Error if it differs from the size in the
// manifest.
bool has_required_work_group(const KernelConfig& config, const cl::Kernel& kernel, const cl::Device& device) {
  const auto required = kernel.getWorkGroupInfo<CL_KERNEL_COMPILE_WORK_GROUP_SIZE>(device);
  if (required[0] == 0) return false;
  std::array<std::size_t, 3> local = {1, 1, 1};
  std::copy(config.local.begin(), config.local.end(), local.begin());
  if (std::equal(local.begin(), local.end(), required.begin())) return true;
  throw Error(ErrorCode::invalid_kernel_file,
              fmt::format("{}:{}: 'local' is {} x {}, but the source has reqd_work_group_size({}, {}, {})",
                          config.file->path, config.manifest().local[0].line, local[0], local[1], required[0],
                          required[1], required[2]));
}

// Checks the limit of the built kernel, which may be below the device's, because a work-group shares
// registers and local memory. If the source requires a size, the compiler has taken it into account, and the
// reported limit is useless: NVIDIA's compiler reports 256 and rusticl 32 for kernels that run with 512. Then
// the launch decides.
void check_work_group(const KernelConfig& config, const cl::Kernel& kernel, const cl::Device& device) {
  if (has_required_work_group(config, kernel, device)) return;
  const std::size_t allowed = kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
  const std::size_t items = config.work_items();
  if (items <= allowed) return;
  throw Error(ErrorCode::device_limit_exceeded,
              fmt::format("{} has work-groups of {} work-items, but as compiled for '{}' it allows only {} "
                          "(with a reqd_work_group_size in the source, the compiler may allow more)",
                          title_of(config), items, device.getInfo<CL_DEVICE_NAME>(), allowed));
}

// Rusticl (Mesa 22.3) counts each array twice.
void check_local_memory(const KernelConfig& config, const cl::Kernel& kernel, const cl::Device& device) {
  const cl_ulong counted = kernel.getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE>(device);
  check_local_bytes(config, platform_of(device) == "rusticl" ? counted / 2 : counted, device);
}

}  // namespace

cl_int build_program(const cl::Program& program, const std::string& options, const cl::Device& device) {
  const std::unique_lock lock = lock_of_compiler(device);
  const cl_device_id id = device();
  return clBuildProgram(program(), 1, &id, options.c_str(), nullptr, nullptr);
}

std::string title_of(const KernelConfig& config) {
  return fmt::format("the kernel '{}' ({}) with '{}'", config.name, config.file->path, config.build_options);
}

bool changes_ptx(const KernelConfig& config) {
  return !config.manifest().ptx_target.empty() || config.registers != 0;
}

cl::Program compile(const KernelConfig& config, const cl::Context& context, const cl::Device& device,
                    Turn* turn) {
  check_local_arrays(config, device);
  const bool changes = changes_ptx(config);
  const bool quickly = changes && knows_options_of_nvidia(config);
  if (turn != nullptr && knows_options_of_nvidia(config)) turn->begin();
  const cl::Program program =
      compile_source(config, config.build_options + (quickly ? quick_assembly : ""), context, device);
  if (turn != nullptr) turn->end();
  return changes ? with_changed_ptx(program, config, context, device) : program;
}

cl::Program load(const std::vector<unsigned char>& binary, const KernelConfig& config,
                 const cl::Context& context, const cl::Device& device) {
  if (binary.empty()) return {};
  try {
    cl::Program program(context, {device}, cl::Program::Binaries{binary});
    if (build_program(program, config.build_options, device) != CL_SUCCESS) return {};
    return program;
  } catch (const cl::Error&) {
    return {};
  }
}

std::vector<unsigned char> binary_of(const cl::Program& program, const cl::Device& device) {
  const auto devices = program.getInfo<CL_PROGRAM_DEVICES>();
  const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
  for (std::size_t i = 0; i < std::min(devices.size(), binaries.size()); ++i) {
    if (devices[i]() == device()) return binaries[i];
  }
  return {};
}

CheckedKernel checked_kernel(const KernelConfig& config, const cl::Program& program,
                             const cl::Device& device) {
  cl::Kernel kernel = create_kernel(config, program);
  const Passing passing = passing_of(config, kernel);
  check_work_group(config, kernel, device);
  check_local_memory(config, kernel, device);
  return {std::move(kernel), passing};
}

}  // namespace clgemm
