// Computes on host matrices with a device that has its own memory, tile by tile, as a StreamPlan prescribes.
// While the device computes, the next blocks are copied in and the last results are copied out.
#pragma once

#include <functional>
#include <optional>

#include "call/gemm.hpp"
#include "host/host_copies.hpp"
#include "host/host_matrices.hpp"
#include "plan/stream_plan.hpp"
#include "plan/stream_schedule.hpp"
#include "scratch/scratch.hpp"

namespace clgemm {

struct StreamedCall {
  HostGemm host;
  StreamPlan plan;

  // Returns the next round for this device; nothing if no round is left.
  std::function<std::optional<Round>()> next_round;

  bool is_pinned = false;  // all three matrices are in memory that is pinned for the device

  // Called by any thread with the part of C that has arrived. May be empty.
  using Delivered = std::function<void(const Range& rows, const Range& columns)>;
  Delivered delivered;
};

// Returns when all rounds that it took are complete. The blocks on the device come from `memory`. If it
// throws, `copies` has been stopped, and nothing uses the caller's memory unless the error is MatricesInUse.
// If beta is not 0, everything that was written to C has been reported to `delivered`.
void multiply_streamed(const GemmDevice& device, HostCopies& copies, ScratchPool& memory,
                       const StreamedCall& call);

}  // namespace clgemm
