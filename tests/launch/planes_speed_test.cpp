// The cost of splitting into bf16 planes on a device with tensor cores, compared with a copy of as many
// bytes. Also the cost of the fallback launch, which has nothing to do if all numbers could be split. Skipped
// with a warning on other devices.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/sizes.hpp"
#include "build/program_cache.hpp"
#include "kernel/config_cache.hpp"
#include "plan/blocks.hpp"
#include "support/catch.hpp"
#include "support/on_device.hpp"

namespace clgemm {
namespace {

using namespace test;

constexpr cl_int side = 4096;
constexpr std::size_t elements = std::size_t{side} * side;
constexpr std::size_t planes_floats = elements / 2 * 3;
constexpr int runs = 21;
constexpr cl_ulong nothing_before = std::numeric_limits<cl_ulong>::max();

bool has_tensor_cores() {
  if (shared_device_info().nvidia_sm >= 80) return true;
  WARN("NOT TESTED: how fast numbers are split, because this device has no bf16 tensor cores");
  return false;
}

// Prepares single launches of a helper of the form `bf16_planes`.
class Launches {
 public:
  double split_us(bool a_along_k, bool b_along_k) {
    const auto kernel = split_of(a_along_k, b_along_k);
    return median_us([&] { return launch(**kernel, static_cast<std::size_t>(2 * groups_), 256); });
  }

  // Each number is 4 bytes read and 6 written. A copy of 5 bytes moves as many.
  double copy_us() {
    const std::size_t bytes = 2 * elements * 5;
    const cl::Buffer from = filled(bytes / sizeof(float));
    const cl::Buffer to = filled(bytes / sizeof(float));
    return median_us([&] {
      cl::Event done;
      queue_.enqueueCopyBuffer(from, to, 0, 0, bytes, nullptr, &done);
      return done;
    });
  }

  // Returns the cost of a launch that finds nothing to do on a device with other work before it. On an idle
  // H200, an empty kernel takes 5 us from its start to its end by the events.
  double fallback_us() {
    constexpr int launches = 200;
    const auto config = std::make_shared<KernelConfig>(
        with_macros(*configs_.get("fallback_fp32", {}), {{"TRANSPOSE_A", 0}, {"TRANSPOSE_B", 0}}));
    BuiltKernel::Lease kernel(programs_.get(config, Purpose::named));
    cl_uint index = 0;
    const auto set = [&](const auto&... values) { ((*kernel).setArg(index++, values), ...); };
    set(side, side, side, 1.0f);
    set(a_, cl_ulong{0}, cl_ulong{side}, cl_ulong{0}, b_, cl_ulong{0}, cl_ulong{side}, cl_ulong{0});
    set(0.0f, c_, cl_ulong{0}, cl_ulong{side}, cl_ulong{0}, notes_, done_offset());
    const std::size_t groups = ceil_div(side, config->tile_rows) * ceil_div(side, config->tile_columns);
    const cl::CommandQueue queue(shared_cl_context(), shared_device());
    const auto seconds_with = [&](int count) {
      const auto start = std::chrono::steady_clock::now();
      for (int copy = 0; copy < 100; ++copy) {
        queue.enqueueCopyBuffer(planes_, planes_, 0, planes_floats * sizeof(float),
                                planes_floats * sizeof(float));
      }
      for (int i = 0; i < count; ++i) {
        queue.enqueueNDRangeKernel(*kernel, cl::NullRange, cl::NDRange(groups * config->local[0], 1, 1),
                                   cl::NDRange(config->local[0], 1, 1));
      }
      queue.finish();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    std::vector<double> times;
    for (int run = 0; run < runs; ++run)
      times.push_back((seconds_with(launches) - seconds_with(0)) / launches);
    return 1e6 * median(times);
  }

 private:
  static double us_between(cl_ulong start, const cl::Event& last) {
    return static_cast<double>(last.getProfilingInfo<CL_PROFILING_COMMAND_END>() - start) * 1e-3;
  }

  static double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

  template <class Enqueue>
  double median_us(const Enqueue& enqueue) {
    std::vector<double> times;
    for (int run = 0; run < runs; ++run) {
      const cl::Event done = enqueue();
      queue_.finish();
      times.push_back(us_between(done.getProfilingInfo<CL_PROFILING_COMMAND_START>(), done));
    }
    return median(times);
  }

  // Returns the kernel that splits, with its arguments.
  std::unique_ptr<BuiltKernel::Lease> split_of(bool a_along_k, bool b_along_k) {
    auto kernel = std::make_unique<BuiltKernel::Lease>(
        programs_.get(configs_.get("pack_both_bf16_planes", {}), Purpose::named));
    cl_uint index = 0;
    const auto set = [&](const auto&... values) { ((**kernel).setArg(index++, values), ...); };
    set(side, side, planes_);
    for (const bool is_a : {true, false}) {
      set(groups_, side, side, is_a ? a_ : b_, cl_ulong{0}, cl_ulong{side}, cl_ulong{0},
          cl_int{is_a ? a_along_k : b_along_k}, cl_ulong{is_a ? 0 : planes_floats}, cl_ulong{0});
    }
    set(notes_, cl_ulong{0}, nothing_before);
    return kernel;
  }

  cl::Event launch(const cl::Kernel& kernel, std::size_t groups, std::size_t items) {
    cl::Event done;
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(groups * items, 1, 1),
                                cl::NDRange(items, 1, 1), nullptr, &done);
    return done;
  }

  cl::Buffer filled(std::size_t floats) {
    cl::Buffer buffer(shared_cl_context(), CL_MEM_READ_WRITE, floats * sizeof(float));
    queue_.enqueueFillBuffer(buffer, 0.75f, 0, floats * sizeof(float));
    return buffer;
  }

  cl::CommandQueue queue_{shared_cl_context(), shared_device(), CL_QUEUE_PROFILING_ENABLE};
  ConfigCache configs_{shared_device_info(), {}};
  ProgramCache programs_{shared_cl_context(), shared_device(), shared_device_info(),
                         DiskCache::from_environment()};
  cl_ulong done_offset() const { return cl_ulong{4} * static_cast<cl_ulong>(groups_); }

  cl_int groups_ = static_cast<cl_int>(packing_groups_a_unit * shared_device_info().compute_units);
  cl::Buffer a_ = filled(elements);
  cl::Buffer b_ = filled(elements);
  cl::Buffer c_ = filled(elements);
  cl::Buffer planes_ = filled(2 * planes_floats);
  // The last word says if the product is done. It is not 0.
  cl::Buffer notes_ = filled(done_offset() + 1);
};

TEST_CASE("both operands are split in 1.3 times the time of a copy, in every form") {
  if (!has_tensor_cores()) return;
  Launches launches;
  const double copy = launches.copy_us();
  for (const bool a_along_k : {true, false}) {
    for (const bool b_along_k : {true, false}) {
      const double split = launches.split_us(a_along_k, b_along_k);
      WARN(fmt::format("{} x {}, A along k: {}, B along k: {}: {:.1f} us, a copy {:.1f} us, {:.2f} of it",
                       side, side, a_along_k, b_along_k, split, copy, split / copy));
      CHECK(split <= 1.3 * copy);
    }
  }
}

TEST_CASE("the launch of the fallback takes less than 5 microseconds if it has nothing to do") {
  if (!has_tensor_cores()) return;
  Launches launches;
  const double fallback = launches.fallback_us();
  WARN(fmt::format("the launch that finds nothing to do: {:.1f} us", fallback));
  CHECK(fallback < 5.0);
}

}  // namespace
}  // namespace clgemm
