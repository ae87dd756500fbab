// One size: the first run of every peer and kernel, with its check; then all of them against each other.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "figures/results.hpp"
#include "peers/peer.hpp"
#include "running/kernel_choice.hpp"
#include "running/measure.hpp"

namespace clgemm::bench {

using Tell = std::function<void(const std::string& what_is_under_way)>;

class SizeRun {
 public:
  // `reference` is null where results are not checked. What is given by reference must outlive it.
  SizeRun(const cl::CommandQueue& queue, const Case& one, const HostData& host, const Reference* reference,
          const MeasureSettings& settings, const Rotation& rotation, Tell tell);

  // Throws Error where a kernel that must run does not.
  ShapeResult run(const std::vector<KernelChoice>& choices, std::span<const Peer* const> peers);

 private:
  using Entry = std::unique_ptr<Entrant>;  // null for what did not run

  void enter_peer(const Peer& peer);
  void enter_kernel(const KernelChoice& choice);
  void enter_baseline(const std::vector<KernelChoice>& choices);
  Entry first_run(const KernelChoice& choice, KernelResult& result);
  void measure_all();
  Figures figures_of(const Entry& entry) const;

  cl::CommandQueue queue_;
  const Reference* reference_;
  MeasureSettings settings_;
  Tell tell_;
  DeviceData data_;
  ShapeResult result_;

  std::vector<Entry> peers_;                   // one each of result_.peers
  std::vector<Entry> kernels_;                 // one each of result_.kernels
  Entry baseline_;                             // null where it is one of the kernels, or left out
  std::optional<std::size_t> baseline_index_;  // where it is one of the kernels
  std::vector<float> peers_c_;                 // the result of the first peer that was right
};

}  // namespace clgemm::bench
