// The memory of a batch that is computed in one launch. The matrices are gathered at constant distances and
// without gaps, in pinned memory that the device reads at full speed, and on the device.
#pragma once

#include <cstddef>

#include "call/host_batch.hpp"
#include "host/host_matrices.hpp"

namespace clgemm {

// Returns the call on `count` gathered GEMMs. An operand that all GEMMs share has a stride of 0.
Problem gathered_problem(const Problem& one, const Device& device, std::size_t count, bool one_a, bool one_b);

// Returns how many of these GEMMs fit into the memory that is kept.
std::size_t most_gathered(const Problem& one);

// Only one thread at a time may use it. If it throws, it can only be destroyed.
class GatheredBatch {
 public:
  explicit GatheredBatch(const GemmDevice& device);
  ~GatheredBatch();
  GatheredBatch(const GatheredBatch&) = delete;
  GatheredBatch& operator=(const GatheredBatch&) = delete;

  // Computes `count` GEMMs, from `first` on. Returns when these matrices C are complete. If it throws, it has
  // written to none of them.
  void multiply(const GemmDevice& device, const HostBatch& batch, std::size_t first, std::size_t count);

 private:
  // Pinned, and mapped as long as this object lives.
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
  cl::CommandQueue mapping_;  // separate, so that a command that fails on it does not belong to a call
  Place a_, b_, c_;
};

}  // namespace clgemm
