// Where the matrices of a batch lie while a device multiplies them in one launch: gathered, without gaps and
// evenly apart, in pinned memory that the device reads at full speed, and on the device.
#pragma once

#include <cstddef>

#include "call/host_batch.hpp"
#include "host/host_matrices.hpp"

namespace clgemm {

// The GEMMs as they are gathered, so many of them; an operand that is one for all has a stride of 0.
Problem gathered_problem(const Problem& one, const Device& device, std::size_t count, bool one_a, bool one_b);

// How many of these fit what is kept here.
std::size_t most_gathered(const Problem& one);

// For one thread at a time. If it throws, it can only be destroyed.
class GatheredBatch {
 public:
  explicit GatheredBatch(const DeviceMultiply& device);
  ~GatheredBatch();
  GatheredBatch(const GatheredBatch&) = delete;
  GatheredBatch& operator=(const GatheredBatch&) = delete;

  // Returns when `count` matrices C, from the number `first` on, are complete. If it throws, it has written
  // to none of them.
  void multiply(const DeviceMultiply& device, const HostBatch& batch, std::size_t first, std::size_t count);

 private:
  // Pinned, and mapped as long as we live.
  struct Place {
    cl::Buffer pinned;
    cl::Buffer on_device;
    float* memory = nullptr;
    std::size_t elements = 0;
  };

  void make(Place& place, std::size_t elements);
  void release(Place& place) noexcept;
  template <class Matrix>
  cl::Event send(Place& place, const Lines& lines, std::size_t stride, const Matrix* matrices,
                 std::size_t count);

  cl::Context context_;
  cl::CommandQueue queue_;
  cl::CommandQueue mapping_;  // a command on it that fails is no command of a call's
  Place a_, b_, c_;
};

}  // namespace clgemm
