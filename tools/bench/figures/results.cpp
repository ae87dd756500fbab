#include "figures/results.hpp"

#include <algorithm>

namespace clgemm::bench {

std::optional<double> speed_up(const std::optional<Measurement>& base,
                               const std::optional<Measurement>& measurement) {
  if (!base || !measurement) return std::nullopt;
  if (base->clock != measurement->clock) return base->call_ms / measurement->call_ms;
  return base->median_ms / measurement->median_ms;
}

std::optional<Measurement> peer_measurement(const SizeResult& size, const std::string& name) {
  const auto found = std::find_if(size.peers.begin(), size.peers.end(),
                                  [&](const PeerResult& peer) { return peer.name == name; });
  return found == size.peers.end() ? std::nullopt : found->measurement;
}

bool all_passed(const Results& results) {
  const auto loop_ok = [](const HostLoopResult& loop) { return !loop.check || loop.check->passed; };
  const auto peer_ok = [](const PeerResult& peer) {
    return !peer.computes_in_fp32 || !peer.measurement || !peer.measurement->failed();
  };
  const auto kernel_ok = [&](const KernelResult& kernel) {
    if (kernel.outcome != Outcome::measured) return kernel.outcome == Outcome::skipped;
    return !results.checked || kernel.passed();
  };
  const auto size_ok = [&](const SizeResult& size) {
    return std::all_of(size.kernels.begin(), size.kernels.end(), kernel_ok) &&
           std::all_of(size.peers.begin(), size.peers.end(), peer_ok);
  };
  return results.stopped_by.empty() &&
         std::all_of(results.host_loops.begin(), results.host_loops.end(), loop_ok) &&
         std::all_of(results.sizes.begin(), results.sizes.end(), size_ok);
}

}  // namespace clgemm::bench
