// Host matrices on a device that has memory of its own: tile by tile, as a StreamPlan says. While the device
// multiplies, what it needs next is on its way in, and what it has done on its way out.
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

  // The next round that this device does; nothing where there is none left.
  std::function<std::optional<Round>()> next_round;

  bool is_pinned = false;  // all three matrices lie in memory that is pinned for the device

  // Is told, by any thread, which part of C has come. May be empty.
  using Delivered = std::function<void(const Range& rows, const Range& columns)>;
  Delivered delivered;
};

// Returns when all rounds that it took are done. `memory` gives the blocks on the device. When it throws,
// `copies` has been stopped, nothing uses the caller's memory unless the error is MatricesInUse, and if beta
// is not 0, all that was written to C has been told to `delivered`.
void multiply_streamed(const DeviceMultiply& device, HostCopies& copies, ScratchPool& memory,
                       const StreamedCall& call);

}  // namespace clgemm
