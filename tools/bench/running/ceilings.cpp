#include "running/ceilings.hpp"

#include "base/device.hpp"
#include "ceilings_source.hpp"
#include "probe/rate_meter.hpp"
#include "running/rotation.hpp"

namespace clgemm::bench {
namespace {

// Long enough for every clock, and for a processor to reach its full speed.
constexpr Effort effort{.runs = 10, .run_seconds = 0.03, .all_seconds = 1.0};

constexpr cl_int passes_in_cache = 50;

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
  const cl::Device cl_device = queue.getInfo<CL_QUEUE_DEVICE>();
  const Device device = describe(cl_device);
  const std::size_t beyond = 2 * beyond_caches(cl_device);
  // Half of the capacity of the last cache, if the device reports it.
  const std::size_t in_cache = cl_device.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>() / 2;
  RateMeter meter(queue.getInfo<CL_QUEUE_CONTEXT>(), cl_device, device, effort, ceilings_source);
  Ceilings ceilings;
  ceilings.fp32_gflops = 2e-9 * meter.multiply_adds();
  ceilings.read_gbs = 1e-9 * meter.bytes_read(beyond);
  ceilings.cache_gbs = in_cache == 0 ? 0.0 : 1e-9 * meter.bytes_read(in_cache, passes_in_cache);
  ceilings.tensor_gflops = tensor_gflops(device);
  ceilings.copy_gbs = 1e-9 * meter.bytes_copied(beyond);
  return ceilings;
}

}  // namespace clgemm::bench
