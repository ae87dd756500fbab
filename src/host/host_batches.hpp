// Batches of host matrices. They are computed in one launch if that is faster than one call for each GEMM.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "call/host_batch.hpp"
#include "host/gathered_batch.hpp"
#include "host/host_calls.hpp"

namespace clgemm {

// Any number of threads may use one object.
class HostBatches {
 public:
  // The references must outlive this object.
  HostBatches(const Device& info, HostCalls& single, DeviceCalls& calls)
      : info_(info), single_(single), calls_(calls) {}

  // Computes the batch. Returns when every C is complete.
  void multiply(const HostBatch& batch, const Options& options);

  // Describes how a batch with constant distances is computed, one fact a line.
  std::string explain(const Problem& batch, const Options& options);

  // Returns the predicted seconds, including copies. Builds nothing.
  double predicted_seconds(const Problem& batch, const Options& options);

 private:
  // The place where the matrices are computed, and the number of GEMMs in one launch.
  struct Way {
    enum class Place { as_they_lie, gathered, one_by_one } place;
    std::size_t count;
  };
  Way way_of(const Problem& batch, bool is_even, const Options& options);

  // Returns whether gathering the matrices for one launch is faster than one call for each GEMM.
  bool pays_to_gather(const Problem& batch);

  void multiply_gathered(const HostBatch& batch, std::size_t at_a_time, const Options& options);

  // The call of one launch.
  Problem in_one_launch(const Problem& batch, const Way& way) const;

  const Device& info_;
  HostCalls& single_;
  DeviceCalls& calls_;
  std::mutex mutex_;
  std::unique_ptr<GatheredBatch> idle_;  // not in use by a call
};

}  // namespace clgemm
