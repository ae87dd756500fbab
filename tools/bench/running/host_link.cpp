#include "running/host_link.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "common/clock.hpp"

namespace clgemm::bench {
namespace {

constexpr std::size_t link_bytes = std::size_t{64} << 20;
constexpr int link_runs = 5;

// Returns the rate of the fastest of some runs.
template <class Transfer>
double gbs_of(const Transfer& transfer) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < link_runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    transfer();
    best = std::min(best, ms_since(start));
  }
  return static_cast<double>(link_bytes) / (best * 1e6);
}

}  // namespace

std::optional<HostLink> measure_host_link(const cl::CommandQueue& queue) {
  const cl::Device device = queue.getInfo<CL_QUEUE_DEVICE>();
  if (device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>() == CL_TRUE) return std::nullopt;
  const cl::Context context = queue.getInfo<CL_QUEUE_CONTEXT>();
  const cl::Buffer pinned(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, link_bytes);
  const cl::Buffer there(context, CL_MEM_READ_WRITE, link_bytes);
  void* const host = queue.enqueueMapBuffer(pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, link_bytes);
  HostLink link;
  link.in_gbs = gbs_of([&] { queue.enqueueWriteBuffer(there, CL_TRUE, 0, link_bytes, host); });
  link.out_gbs = gbs_of([&] { queue.enqueueReadBuffer(there, CL_TRUE, 0, link_bytes, host); });
  queue.enqueueUnmapMemObject(pinned, host);
  queue.finish();
  return link;
}

double host_bound_ms(const SgemmCall& call, const std::optional<HostLink>& link, double compute_ms,
                     std::size_t devices) {
  const auto megabytes = [](std::size_t rows, std::size_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns) * sizeof(float) / 1e6;
  };
  const auto shared = static_cast<double>(devices);
  double bound = compute_ms / shared;
  if (!link) return bound;
  const double c = megabytes(call.m, call.n);
  const double in = megabytes(call.m, call.k) + megabytes(call.k, call.n) + (call.beta != 0.0f ? c : 0.0);
  return std::max({bound, in / link->in_gbs / shared, c / link->out_gbs / shared});
}

}  // namespace clgemm::bench
