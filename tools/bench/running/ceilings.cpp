#include "running/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/device.hpp"
#include "ceilings_source.hpp"
#include "measuring/contestant.hpp"
#include "probe_source.hpp"
#include "running/rotation.hpp"

namespace clgemm::bench {
namespace {

// Describes how to keep a device busy.
struct Load {
  std::size_t width;  // floats of a vector
  std::size_t chains;
  std::size_t group;             // work-items of a work-group
  std::size_t groups_of_a_unit;  // work-groups a compute unit
  bool neighbours_together;      // in memory: neighbouring work-items, not steps
};

// Uses one work-item for the vector units of each core of a CPU. There are four groups for each core, so that
// a core that is disturbed gets less of the work.
Load load_for(const cl::Device& device) {
  if ((device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) == 0) return {4, 8, 256, 16, true};
  const std::size_t native = device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>();
  return {std::clamp<std::size_t>(native, 4, 16), 12, 1, 4, false};
}

// A ceiling is the best of its runs.
constexpr int runs = 10;

// Long enough for every clock, and for a processor to reach its full speed.
constexpr double least_ms = 30.0;
constexpr cl_int most_rounds = 1 << 26;

double best_ms(const cl::CommandQueue& queue, const cl::Kernel& kernel, std::size_t items,
               std::size_t group) {
  double best = 0.0;
  for (int run = 0; run < runs; ++run) {
    cl::Event event;
    const auto start = std::chrono::steady_clock::now();
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items), cl::NDRange(group), nullptr,
                               &event);
    queue.finish();
    const std::chrono::duration<double, std::milli> call = std::chrono::steady_clock::now() - start;
    const auto begin_ns = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    const auto end_ns = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    const double device_ms = static_cast<double>(end_ns - begin_ns) * 1e-6;
    const double ms = trusted_clock(device_ms, call.count()) == Clock::device ? device_ms : call.count();
    if (run == 0 || ms < best) best = ms;
  }
  return best;
}

class Measuring {
 public:
  explicit Measuring(const cl::CommandQueue& queue)
      : queue_(queue),
        context_(queue.getInfo<CL_QUEUE_CONTEXT>()),
        device_(queue.getInfo<CL_QUEUE_DEVICE>()),
        load_(load_for(device_)),
        items_(load_.group * load_.groups_of_a_unit * device_.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>()),
        vector_bytes_(load_.width * sizeof(float)),
        program_(context_, std::string(probe_source) + ceilings_source),
        results_(context_, CL_MEM_READ_WRITE, items_ * vector_bytes_) {
    program_.build(
        {device_},
        fmt::format("-cl-mad-enable -DFLOATS=float{} -DCHAINS={}", load_.width, load_.chains).c_str());
  }

  double fp32_gflops() const {
    cl::Kernel kernel(program_, "multiply_add");
    kernel.setArg(0, results_);
    kernel.setArg(2, 0.999f);
    kernel.setArg(3, 0.001f);
    cl_int rounds = 1000;
    double ms = 0.0;
    while (ms < least_ms && rounds < most_rounds) {  // some devices' clocks never reach it
      rounds *= 2;
      kernel.setArg(1, rounds);
      ms = best_ms(queue_, kernel, items_, load_.group);
    }
    const std::size_t floats = items_ * load_.chains * load_.width;
    return 2.0 * static_cast<double>(floats) * rounds / (ms * 1e6);
  }

  double read_gbs(const cl::Buffer& from) const {
    cl::Kernel kernel = mover("read_all", from, results_, steps());
    kernel.setArg(5, cl_int{1});
    return gbs(kernel, steps());
  }
  double copy_gbs(const cl::Buffer& from, const cl::Buffer& to) const {
    return 2.0 * gbs(mover("copy_all", from, to, steps()), steps());
  }

  // Uses half of the capacity of the last cache, if the device reports it.
  double cache_gbs(const cl::Buffer& from) const {
    const std::size_t bytes = device_.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>() / 2;
    const std::size_t steps_in_cache = bytes / (items_ * vector_bytes_) / 4 * 4;
    if (steps_in_cache == 0 || steps_in_cache > steps()) return 0.0;
    constexpr cl_int passes = 50;
    cl::Kernel kernel = mover("read_all", from, results_, steps_in_cache);
    kernel.setArg(5, passes);
    return passes * gbs(kernel, steps_in_cache);
  }

  // Writes the whole buffer, so that it has no shared pages of zeros.
  cl::Buffer buffer() const {
    cl::Buffer result(context_, CL_MEM_READ_WRITE, steps() * items_ * vector_bytes_);
    queue_.enqueueFillBuffer(result, 1.0f, 0, steps() * items_ * vector_bytes_);
    queue_.finish();
    return result;
  }

 private:
  // Returns a multiple of the four that a kernel takes at once.
  std::size_t steps() const {
    const std::size_t largest = device_.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
    const std::size_t bytes = std::min(2 * beyond_caches(device_), largest / 2);
    return std::max<std::size_t>(bytes / (items_ * vector_bytes_) / 4, 1) * 4;
  }

  cl::Kernel mover(const char* name, const cl::Buffer& from, const cl::Buffer& to, std::size_t count) const {
    cl::Kernel kernel(program_, name);
    kernel.setArg(0, from);
    kernel.setArg(1, to);
    kernel.setArg(2, static_cast<cl_int>(count));
    kernel.setArg(3, static_cast<cl_int>(load_.neighbours_together ? 1 : count));
    kernel.setArg(4, static_cast<cl_int>(load_.neighbours_together ? items_ : 1));
    return kernel;
  }

  double gbs(const cl::Kernel& kernel, std::size_t count) const {
    const auto bytes = static_cast<double>(count * items_ * vector_bytes_);
    return bytes / (best_ms(queue_, kernel, items_, load_.group) * 1e6);
  }

  cl::CommandQueue queue_;
  cl::Context context_;
  cl::Device device_;
  Load load_;
  std::size_t items_;
  std::size_t vector_bytes_;
  cl::Program program_;
  cl::Buffer results_;
};

}  // namespace

namespace {

// fp16 operations of a compute unit's tensor cores per clock, from NVIDIA's data sheets. The row with the
// largest architecture that is not above the device's applies.
struct TensorCores {
  std::size_t sm;
  double operations;
};
constexpr TensorCores tensor_cores[] = {
    {100, 8192.0}, {90, 4096.0}, {86, 1024.0}, {80, 2048.0}, {70, 1024.0}};

double tensor_gflops(const Device& device) {
  for (const TensorCores& cores : tensor_cores) {
    if (device.nvidia_sm < cores.sm) continue;
    return cores.operations * static_cast<double>(device.compute_units * device.clock_mhz) * 1e-3;
  }
  return 0.0;
}

}  // namespace

Ceilings measure_ceilings(const cl::CommandQueue& queue) {
  const Measuring measuring(queue);
  Ceilings ceilings;
  ceilings.fp32_gflops = measuring.fp32_gflops();
  const cl::Buffer from = measuring.buffer();
  ceilings.read_gbs = measuring.read_gbs(from);
  ceilings.cache_gbs = measuring.cache_gbs(from);
  ceilings.tensor_gflops = tensor_gflops(describe(queue.getInfo<CL_QUEUE_DEVICE>()));
  ceilings.copy_gbs = measuring.copy_gbs(from, measuring.buffer());
  return ceilings;
}

}  // namespace clgemm::bench
