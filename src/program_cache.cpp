#include "program_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "error.hpp"

namespace clgemm {
namespace {

// What the contract (kernels/README.md) says of the kernel function of each role.
struct Entry {
  Role role;
  const char* function;
  cl_uint arguments;
};
constexpr Entry entries[] = {
    {Role::multiply, "gemm", 17}, {Role::pack, "pack", 12}, {Role::scale, "scale", 7}};

const Entry& entry_of(Role role) {
  for (const Entry& entry : entries) {
    if (entry.role == role) return entry;
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
                            program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device)));
  }
  return program;
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

// Mesa's rusticl (22.3 at least) answers CL_KERNEL_WORK_GROUP_SIZE with the size of a sub-group, and runs
// larger work-groups all the same.
bool reports_subgroup_as_limit(const cl::Kernel& kernel, const cl::Device& device) {
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  return platform.getInfo<CL_PLATFORM_NAME>() == "rusticl" &&
         kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device) ==
             kernel.getWorkGroupInfo<CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE>(device);
}

// The limit of a built kernel may be below the device's: registers and local memory are shared by a
// work-group.
void check_work_group_limit(const KernelConfig& config, const cl::Kernel& kernel, const cl::Device& device) {
  const std::size_t allowed = kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
  const std::size_t items =
      std::accumulate(config.local.begin(), config.local.end(), std::size_t{1}, std::multiplies<>());
  if (items <= allowed || reports_subgroup_as_limit(kernel, device)) return;
  throw Error(ErrorCode::device_limit_exceeded,
              fmt::format("{} has work-groups of {} work-items; as built for '{}' it allows {}",
                          title_of(config), items, device.getInfo<CL_DEVICE_NAME>(), allowed));
}

// Where the source has a reqd_work_group_size, it must be the one of the manifest.
void check_required_work_group(const KernelConfig& config, const cl::Kernel& kernel,
                               const cl::Device& device) {
  const auto required = kernel.getWorkGroupInfo<CL_KERNEL_COMPILE_WORK_GROUP_SIZE>(device);
  if (required[0] == 0) return;
  std::array<std::size_t, 3> local = {1, 1, 1};
  std::copy(config.local.begin(), config.local.end(), local.begin());
  if (std::equal(local.begin(), local.end(), required.begin())) return;
  throw Error(ErrorCode::invalid_kernel_file,
              fmt::format("{}:{}: 'local' is {} x {}, but the source has reqd_work_group_size({}, {}, {})",
                          config.file->path, config.manifest().local[0].line, local[0], local[1], required[0],
                          required[1], required[2]));
}

}  // namespace

BuiltKernel::BuiltKernel(cl::Program program, const char* entry, cl::Kernel first)
    : program_(std::move(program)), entry_(entry) {
  idle_.push_back(std::move(first));
}

BuiltKernel::Lease::Lease(std::shared_ptr<BuiltKernel> owner) : owner_(std::move(owner)) {
  const std::lock_guard lock(owner_->mutex_);
  if (owner_->idle_.empty()) {
    kernel_ = cl::Kernel(owner_->program_, owner_->entry_);
  } else {
    kernel_ = std::move(owner_->idle_.back());
    owner_->idle_.pop_back();
  }
}

BuiltKernel::Lease::~Lease() {
  const std::lock_guard lock(owner_->mutex_);
  try {
    owner_->idle_.push_back(std::move(kernel_));
  } catch (const std::bad_alloc&) {
    return;  // the kernel is released instead
  }
}

std::shared_ptr<BuiltKernel> ProgramCache::get(const std::shared_ptr<const KernelConfig>& config) {
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
    auto built = build(*config);
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

std::shared_ptr<BuiltKernel> ProgramCache::build(const KernelConfig& config) const {
  const Entry& entry = entry_of(config.manifest().role);
  const cl::Program program = compile(config, context_, device_);
  cl::Kernel kernel = create_kernel(config, entry, program);
  check_required_work_group(config, kernel, device_);
  check_work_group_limit(config, kernel, device_);
  return std::make_shared<BuiltKernel>(program, entry.function, std::move(kernel));
}

}  // namespace clgemm
