#include "launch/kernel_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "base/error.hpp"
#include "base/sizes.hpp"

namespace clgemm {
namespace {

// Returns whether the device cannot run this kernel, whatever the problem.
bool means_unlaunchable(cl_int status) {
  return status == CL_INVALID_WORK_GROUP_SIZE || status == CL_INVALID_WORK_ITEM_SIZE ||
         status == CL_INVALID_PROGRAM_EXECUTABLE;
}

std::size_t groups_along(GridAxis axis, const LaunchSize& size) {
  const std::size_t rows = ceil_div(size.rows, size.group_rows);
  const std::size_t columns = ceil_div(size.columns, size.group_columns);
  switch (axis) {
    case GridAxis::rows:
      return rows;
    case GridAxis::columns:
      return columns;
    case GridAxis::tiles:
      return size.most_groups == 0 ? rows * columns : std::min(rows * columns, size.most_groups);
  }
  throw Error(ErrorCode::internal_error, "a grid axis has no meaning");
}

// Throws Error(invalid_kernel_file) if OpenCL refused an argument because the kernel takes another type.
// Null stands for the argument that has all numbers.
void throw_if_of_kernel(const cl::Error& failure, const KernelConfig& config, const KernelArgument* argument,
                        std::size_t place) {
  const cl_int status = failure.err();
  if (status != CL_INVALID_ARG_INDEX && status != CL_INVALID_ARG_SIZE && status != CL_INVALID_ARG_VALUE)
    return;
  throw Error(
      ErrorCode::invalid_kernel_file,
      fmt::format("{}: argument {} of the kernel '{}' must be '{}' of type {}: {}; kernels/README.md "
                  "lists the arguments of each role",
                  config.file->path, place + 1, config.name, argument != nullptr ? argument->name : "numbers",
                  argument != nullptr ? argument->type() : "Numbers", opencl_status_name(status)));
}

}  // namespace

bool is_in_order(const cl::CommandQueue& queue) {
  return (queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

bool needs_flush(const Device& device, const Sequence& sequence) {
  return !device.starts_unflushed || sequence.by_events || sequence.is_observed;
}

Sequence sequence_on(const cl::CommandQueue& queue, const Events& wait_for, bool is_observed) {
  return {queue, !wait_for.empty() || !is_in_order(queue), is_observed};
}

KernelLaunch::KernelLaunch(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& built,
                           const ArgumentValues& values)
    : config_(config), kernel_(built) {
  const Numbers& numbers = values;
  const bool as_struct = built->passing() == Passing::as_struct;
  const KernelArgument* argument = nullptr;  // the one that is set; null: all numbers
  cl_uint place = 0;
  try {
    for (const auto& group : arguments_of(config.manifest())) {
      for (const KernelArgument& one : group) {
        if (as_struct && one.is_number()) continue;
        argument = &one;
        std::visit([&](auto member) { kernel_.set(place, values.*member); }, one.value);
        ++place;
      }
    }
    argument = nullptr;
    if (as_struct) kernel_.set(place, numbers);
  } catch (const cl::Error& failure) {
    throw_if_of_kernel(failure, config, argument, place);
    throw;
  }
}

Events KernelLaunch::enqueue(const cl::CommandQueue& queue, const Events& wait_for, const LaunchSize& size,
                             bool is_wanted) {
  std::size_t local[2] = {1, 1};
  std::size_t global[2] = {1, 1};
  const auto& grid = config_.manifest().grid;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    local[i] = config_.local[i];
    global[i] = groups_along(grid[i], size) * local[i];
  }
  Events result;
  if (is_wanted) result.reserve(1);  // nothing may fail after the launch
  cl::Event done;
  try {
    queue.enqueueNDRangeKernel(*kernel_, cl::NullRange, cl::NDRange(global[0], global[1], size.layers),
                               cl::NDRange(local[0], local[1], 1), &wait_for, is_wanted ? &done : nullptr);
  } catch (const cl::Error& failure) {
    if (!means_unlaunchable(failure.err())) throw;
    throw Error(ErrorCode::device_limit_exceeded,
                fmt::format("the kernel '{}' with {} cannot be launched: {}", config_.name,
                            describe_values(config_.values), opencl_status_name(failure.err())));
  }
  if (is_wanted) result.push_back(std::move(done));
  return result;
}

}  // namespace clgemm
