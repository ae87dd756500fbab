#include "running/host_link.hpp"

#include <algorithm>

#include "probe/rate_meter.hpp"

namespace clgemm::bench {

std::optional<HostRates> measure_host_link(const cl::CommandQueue& queue) {
  const cl::Device device = queue.getInfo<CL_QUEUE_DEVICE>();
  const Device info = describe(device);
  return RateMeter(queue.getInfo<CL_QUEUE_CONTEXT>(), device, info).host();
}

double host_bound_ms(const SgemmCall& call, const std::optional<HostRates>& link, double compute_ms,
                     std::size_t devices) {
  const auto megabytes = [](std::size_t rows, std::size_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns) * sizeof(float) / 1e6;
  };
  const auto shared = static_cast<double>(devices);
  double bound = compute_ms / shared;
  if (!link) return bound;
  const double c = megabytes(call.m, call.n);
  const double in = megabytes(call.m, call.k) + megabytes(call.k, call.n) + (call.beta != 0.0f ? c : 0.0);
  return std::max({bound, in / (1e-9 * link->to_device) / shared, c / (1e-9 * link->from_device) / shared});
}

}  // namespace clgemm::bench
