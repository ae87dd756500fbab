// Batches of host matrices: in one launch where that takes less time than a call for each.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "call/host_batch.hpp"
#include "host/gathered_batch.hpp"
#include "host/host_calls.hpp"

namespace clgemm {

// Any number of threads may use one.
class HostBatches {
 public:
  // What is given by reference must outlive it.
  HostBatches(const Device& info, HostCalls& single, DeviceCalls& calls)
      : info_(info), single_(single), calls_(calls) {}

  // Multiplies; returns when every C is complete.
  void multiply(const HostBatch& batch, const Options& options);

  // How a batch of matrices that lie evenly apart goes, in words, a line a fact.
  std::string explain(const Problem& batch, const Options& options);

  // How long it should take, its copies included. Builds nothing.
  double predicted_seconds(const Problem& batch, const Options& options);

 private:
  // Where the matrices are multiplied, and how many at a time.
  struct Way {
    enum class Place { as_they_lie, gathered, one_by_one } place;
    std::size_t count;
  };
  Way way_of(const Problem& batch, bool is_even, const Options& options);

  // False if a call for each takes no longer than gathering all for one launch.
  bool pays_to_gather(const Problem& batch);

  void multiply_gathered(const HostBatch& batch, std::size_t at_a_time, const Options& options);

  // What one launch is asked to do.
  Problem in_one_launch(const Problem& batch, const Way& way) const;

  const Device& info_;
  HostCalls& single_;
  DeviceCalls& calls_;
  std::mutex mutex_;
  std::unique_ptr<GatheredBatch> idle_;  // of no call at present
};

}  // namespace clgemm
