// Whether a multiplication is better gathered with others for one launch than called on its own.
#pragma once

#include "blas/call.hpp"

namespace clgemm::blas {

// Seconds to gather an element of a batch, or to scatter it: a thread copies 9 GB/s on the H200's host.
constexpr double gathered_element = 0.45e-9;

// What a call on a device takes apart from its multiplication. A guess on the fast side: through the drop-in
// it was 1.1 ms on an H200.
constexpr double guessed_device_call = 1e-4;

// False if a call of its own takes less than gathering its matrices for one launch with others.
inline bool can_share_launch(const Call& call) {
  return elements_moved(call) * gathered_element < guessed_device_call;
}

}  // namespace clgemm::blas
