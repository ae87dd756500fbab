// Measures one size. First, every peer and kernel runs once and is checked. Then all of them are timed
// against each other.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "figures/results.hpp"
#include "peers/peer.hpp"
#include "running/kernel_choice.hpp"
#include "running/long_call.hpp"
#include "running/measure.hpp"

namespace clgemm::bench {

class SizeRun {
 public:
  // `reference` is null if results are not checked. Arguments that are given by reference must outlive the
  // object.
  SizeRun(const cl::CommandQueue& queue, const Case& one, const HostData& host, const Reference* reference,
          const MeasureSettings& settings, const Rotation& rotation, Tell tell);

  // Throws Error if a kernel that must run does not.
  ShapeResult run(const std::vector<KernelChoice>& choices, std::span<const Peer* const> peers);

 private:
  using Entry = std::unique_ptr<Entrant>;  // null for a contestant that did not run

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

  std::vector<Entry> peers_;                   // one for each of result_.peers
  std::vector<Entry> kernels_;                 // one for each of result_.kernels
  Entry baseline_;                             // null if it is one of the kernels, or left out
  std::optional<std::size_t> baseline_index_;  // if it is one of the kernels
  std::vector<float> peers_c_;                 // the result of the first peer that was right
};

}  // namespace clgemm::bench
