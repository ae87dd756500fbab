#include "build/program_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <numeric>

#include "base/error.hpp"
#include "base/log.hpp"
#include "build/ptx.hpp"

namespace clgemm {
namespace {

// How long the end of a Context waits for kernels that are under way, to store their programs.
constexpr std::chrono::milliseconds last_patience(200);

Error quarantine_error(const KernelConfig& config) {
  return Error(
      ErrorCode::self_test_failed,
      fmt::format("the kernel '{}' with {} is in quarantine: it gave a wrong result in its self-test on this "
                  "device and driver",
                  config.name, describe_values(config.values)));
}

// What the contract (kernels/README.md) says of the kernel function of each role.
struct Entry {
  Role role;
  const char* function;
  cl_uint arguments;
};
constexpr Entry entries[] = {{Role::multiply, "gemm", 17}, {Role::otherwise, "otherwise", 21},
                             {Role::pack, "pack", 12},     {Role::pack_both, "pack_both", 25},
                             {Role::scale, "scale", 7},    {Role::reduce, "reduce", 12}};

Entry entry_of(const Manifest& manifest) {
  if (!manifest.otherwise.empty()) return {Role::multiply, "gemm", 21};
  for (const Entry& entry : entries) {
    if (entry.role == manifest.role) return entry;
  }
  throw Error(ErrorCode::internal_error, "a role without an entry");
}

std::string title_of(const KernelConfig& config) {
  return fmt::format("the kernel '{}' ({}) with '{}'", config.name, config.file->path, config.build_options);
}

cl::Program compile(const KernelConfig& config, const cl::Context& context, const cl::Device& device) {
  cl::Program program(context, config.file->source);
  try {
    program.build(std::vector<cl::Device>{device}, config.build_options.c_str());
  } catch (const cl::Error& failure) {
    throw Error(ErrorCode::build_failed,
                fmt::format("{} does not compile on '{}', {}:\n{}", title_of(config),
                            device.getInfo<CL_DEVICE_NAME>(), opencl_status_name(failure.err()),
                            with_written_places(program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device),
                                                config.file->source)));
  }
  return program;
}

// The program's binary for one of its devices; empty where there is none.
std::vector<unsigned char> binary_of(const cl::Program& program, const cl::Device& device) {
  const auto devices = program.getInfo<CL_PROGRAM_DEVICES>();
  const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
  for (std::size_t i = 0; i < std::min(devices.size(), binaries.size()); ++i) {
    if (devices[i]() == device()) return binaries[i];
  }
  return {};
}

// Takes a program's PTX to the target of its manifest, and the driver compiles that.
cl::Program at_ptx_target(const cl::Program& program, const KernelConfig& config, const cl::Context& context,
                          const cl::Device& device) {
  const std::string& target = config.manifest().ptx_target;
  cl::Program result;
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorCode::build_failed,
                fmt::format("{}: its PTX cannot be taken to {}: {}", title_of(config), target, why));
  };
  try {
    const std::vector<unsigned char> binary = binary_of(program, device);
    const std::string ptx = retargeted_ptx(std::string(binary.begin(), binary.end()), target);
    result = cl::Program(context, {device}, cl::Program::Binaries{{ptx.begin(), ptx.end()}});
    result.build(std::vector<cl::Device>{device});
  } catch (const Error& error) {
    fail(error.what());
  } catch (const cl::BuildError& failure) {
    fail(failure.getBuildLog().empty() ? failure.what() : failure.getBuildLog().front().second);
  } catch (const cl::Error& failure) {
    fail(fmt::format("{}: {}", failure.what(), opencl_status_name(failure.err())));
  }
  return result;
}

// The program of a binary; a null one where the implementation does not take it.
cl::Program load(const std::vector<unsigned char>& binary, const KernelConfig& config,
                 const cl::Context& context, const cl::Device& device) {
  if (binary.empty()) return {};
  try {
    cl::Program program(context, {device}, cl::Program::Binaries{binary});
    program.build(std::vector<cl::Device>{device}, config.build_options.c_str());
    return program;
  } catch (const cl::Error&) {
    return {};
  }
}

cl::Kernel create_kernel(const KernelConfig& config, const Entry& entry, const cl::Program& program) {
  cl::Kernel kernel;
  try {
    kernel = cl::Kernel(program, entry.function);
  } catch (const cl::Error& failure) {
    throw Error(ErrorCode::invalid_kernel_file,
                fmt::format("{} has no usable kernel function '{}': {}", title_of(config), entry.function,
                            opencl_status_name(failure.err())));
  }
  const cl_uint arguments = kernel.getInfo<CL_KERNEL_NUM_ARGS>();
  if (arguments != entry.arguments) {
    throw Error(ErrorCode::invalid_kernel_file,
                fmt::format("{}: '{}' takes {} arguments; the contract (kernels/README.md) has {}",
                            title_of(config), entry.function, arguments, entry.arguments));
  }
  return kernel;
}

// True where the source has a reqd_work_group_size, which must then be the one of the manifest.
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

// The limit of a built kernel may be below the device's: registers and local memory are shared by a
// work-group. Where the source requires the size, the compiler has kept it in mind, and what it reports is of
// no use: NVIDIA's says 256 and rusticl's says 32 for kernels that run with 512; the launch then has the last
// word.
void check_work_group(const KernelConfig& config, const cl::Kernel& kernel, const cl::Device& device) {
  if (has_required_work_group(config, kernel, device)) return;
  const std::size_t allowed = kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
  const std::size_t items =
      std::accumulate(config.local.begin(), config.local.end(), std::size_t{1}, std::multiplies<>());
  if (items <= allowed) return;
  throw Error(ErrorCode::device_limit_exceeded,
              fmt::format("{} has work-groups of {} work-items; as built for '{}' it allows {} (a "
                          "reqd_work_group_size in the source lets the compiler allow more)",
                          title_of(config), items, device.getInfo<CL_DEVICE_NAME>(), allowed));
}

// Static local arrays beyond the device's limit end the process on PoCL, and pass unnoticed elsewhere.
// NVIDIA's compiler knows its devices better than they say: 48 KiB is reported where over 200 KiB work.
void check_local_memory(const KernelConfig& config, const cl::Kernel& kernel, const cl::Device& device) {
  const cl_ulong used = kernel.getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE>(device);
  const cl_ulong allowed = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  if (used <= allowed || platform.getInfo<CL_PLATFORM_NAME>() == "NVIDIA CUDA") return;
  throw Error(ErrorCode::device_limit_exceeded,
              fmt::format("{} uses {} bytes of local memory; '{}' has {}", title_of(config), used,
                          device.getInfo<CL_DEVICE_NAME>(), allowed));
}

}  // namespace

BuiltKernel::BuiltKernel(cl::Program program, const char* entry, cl::Kernel first, std::string key)
    : program_(std::move(program)), entry_(entry), key_(std::move(key)), use_(ProgramUse::of(key_)) {
  idle_.push_back(std::move(first));
}

BuiltKernel::Lease::Lease(std::shared_ptr<BuiltKernel> owner)
    : owner_(std::move(owner)), is_counted_(owner_->use_->begin()) {
  const std::lock_guard lock(owner_->mutex_);
  if (!owner_->idle_.empty()) {
    kernel_ = std::move(owner_->idle_.back());
    owner_->idle_.pop_back();
    return;
  }
  try {
    kernel_ = cl::Kernel(owner_->program_, owner_->entry_);
  } catch (...) {
    if (is_counted_) owner_->use_->end({});
    throw;
  }
}

BuiltKernel::Lease::~Lease() {
  try {
    if (is_counted_) owner_->use_->end(launched_);
    const std::lock_guard lock(owner_->mutex_);
    owner_->idle_.push_back(std::move(kernel_));
  } catch (const std::exception&) {
    return;  // no memory: the kernel is released instead
  }
}

ProgramCache::ProgramCache(cl::Context context, cl::Device device, const Device& info, DiskCache disk)
    : context_(std::move(context)),
      device_(std::move(device)),
      machine_(fmt::format("{}\n{}\n{}\n{}\n", info.name, info.driver_version, info.platform_name,
                           info.platform_version)),
      gives_binaries_(info.platform_name != "Portable Computing Language"),
      disk_(std::move(disk)) {}

ProgramCache::~ProgramCache() {
  finish_keeping();
}

std::shared_ptr<BuiltKernel> ProgramCache::get(const std::shared_ptr<const KernelConfig>& config,
                                               Purpose purpose) {
  auto built = get_any(config, purpose);
  if (purpose == Purpose::chosen && built->trust == DiskCache::Trust::quarantined)
    throw quarantine_error(*config);
  return built;
}

bool ProgramCache::has(const std::shared_ptr<const KernelConfig>& config) {
  const std::lock_guard lock(mutex_);
  return programs_.count({config->file, config->build_options}) != 0;
}

std::shared_ptr<BuiltKernel> ProgramCache::get_any(const std::shared_ptr<const KernelConfig>& config,
                                                   Purpose purpose) {
  const Key key{config->file, config->build_options};
  std::promise<std::shared_ptr<BuiltKernel>> promise;
  {
    std::unique_lock lock(mutex_);
    if (const auto found = programs_.find(key); found != programs_.end()) {
      const Pending pending = found->second;
      lock.unlock();
      return pending.get();
    }
    programs_.emplace(key, promise.get_future().share());
  }
  try {
    auto built = build(*config, purpose);
    promise.set_value(built);
    return built;
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      programs_.erase(key);
    }
    promise.set_exception(std::current_exception());
    throw;
  }
}

std::shared_ptr<BuiltKernel> ProgramCache::build(const KernelConfig& config, Purpose purpose) const {
  const std::string key = disk_key(config);
  const std::optional<DiskCache::Entry> entry = disk_.load(key);
  if (entry && entry->trust == DiskCache::Trust::quarantined && purpose == Purpose::chosen) {
    throw quarantine_error(config);
  }
  cl::Program program = entry ? load(entry->binary, config, context_, device_) : cl::Program{};
  const bool from_disk = program() != nullptr;
  if (!from_disk) program = compile(config, context_, device_);
  if (!from_disk && !config.manifest().ptx_target.empty()) {
    program = at_ptx_target(program, config, context_, device_);
  }
  log(LogLevel::debug,
      fmt::format("{} {}", from_disk ? "loaded from the cache:" : "compiled:", title_of(config)));

  const Entry contract = entry_of(config.manifest());
  cl::Kernel kernel = create_kernel(config, contract, program);
  check_work_group(config, kernel, device_);
  check_local_memory(config, kernel, device_);
  auto built = std::make_shared<BuiltKernel>(program, contract.function, std::move(kernel), key);
  if (entry) built->trust = entry->trust;
  built->is_new = !entry.has_value();
  return built;
}

// Every field ends in a line feed or has its length in front, so that no two builds have one key.
std::string ProgramCache::disk_key(const KernelConfig& config) const {
  return fmt::format("{}{}\n{}\n{}", machine_, config.build_options, config.file->source.size(),
                     config.file->source);
}

void ProgramCache::keep(const std::shared_ptr<BuiltKernel>& built) {
  if (!built->is_new.exchange(false) || !disk_.is_on()) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(keeping_, [](const std::future<void>& task) {
    return task.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  keeping_.push_back(std::async(std::launch::async, [this, built] { store(*built); }));
}

void ProgramCache::finish_keeping() {
  deadline_ = std::chrono::steady_clock::now() + last_patience;
  std::vector<std::future<void>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(keeping_);
  }
  for (const std::future<void>& task : tasks) task.wait();
}

bool ProgramCache::has_no_more_time() const {
  return std::chrono::steady_clock::now() > deadline_.load();
}

void ProgramCache::store(BuiltKernel& built) const noexcept {
  try {
    if (built.trust == DiskCache::Trust::quarantined) {
      disk_.store(built.key_, {DiskCache::Trust::quarantined, {}});
      return;
    }
    if (!gives_binaries_) {
      disk_.store(built.key_, {built.trust, {}});
      return;
    }
    std::vector<unsigned char> binary;
    if (const auto stored = disk_.load(built.key_)) binary = stored->binary;  // only the trust is new
    if (binary.empty()) {
      binary = built.use_->binary([&] { return binary_of(built.program_, device_); },
                                  [this] { return has_no_more_time(); });
    }
    if (!binary.empty()) disk_.store(built.key_, {built.trust, binary});
  } catch (const std::exception& failure) {
    log(LogLevel::debug, fmt::format("a program was not kept: {}", failure.what()));
  }
}

}  // namespace clgemm
