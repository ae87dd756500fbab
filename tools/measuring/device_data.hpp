// The matrices of one problem in device memory, with the queue that all contestants use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "measuring/busy_device.hpp"
#include "measuring/guards.hpp"
#include "measuring/host_data.hpp"

namespace clgemm::bench {

class DeviceData {
 public:
  // `queue` is in-order, with profiling. `host` must outlive the object. `copies` is the number of copies of
  // the matrices: see next_copy().
  DeviceData(const cl::CommandQueue& queue, const HostData& host, std::size_t copies = 1);

  // Switches A, B and C to the next copies of them.
  void next_copy() const { current_ = (current_ + 1) % copies_.size(); }

  std::size_t copies() const { return copies_.size(); }

  // Restores the initial C: see HostData::c. Complete on return.
  void restore_c() const;

  // Waits for all commands by reading an element of C. Not every driver waits in clFinish (rusticl of Mesa 22
  // returns at once), but none returns memory that is still being written.
  void wait_for_c() const;

  // Returns C, row-major without gaps. The rest of its buffer, and the gaps, have values that must not
  // change.
  std::vector<float> read_c() const;

  // Describes the changes that the last read_c() found there. Empty if there were none.
  const std::string& damage() const { return damage_; }

  // Returns the matrices in the host's memory in the form of a BLAS call. They are made at first use.
  const StoredMatrices& stored() const;

  // For contestants that are timed on a busy device.
  const BusyDevice& busy_device() const { return busy_device_; }

  const HostData& host() const { return host_; }
  const SgemmCall& call() const { return host_.call; }
  const cl::CommandQueue& queue() const { return queue_; }
  DeviceMatrix a() const { return {copies_[current_].a(), call().lda, offset_of(lines_of_a(call()))}; }
  DeviceMatrix b() const { return {copies_[current_].b(), call().ldb, offset_of(lines_of_b(call()))}; }
  DeviceMatrix c() const { return {copies_[current_].c(), call().ldc, offset_of(lines_of_c(call()))}; }

 private:
  struct Copy {
    cl::Buffer a;
    cl::Buffer b;
    cl::Buffer c;
  };

  const HostData& host_;
  cl::CommandQueue queue_;
  BusyDevice busy_device_;
  cl::Buffer original_c_;
  std::vector<Copy> copies_;
  mutable std::size_t current_ = 0;  // the present copy; changes no matrix
  mutable std::string damage_;
  mutable std::optional<StoredMatrices> stored_;
};

// Throws Error(out_of_memory) if the device cannot hold a matrix of this call, with its gaps.
void check_fits(const Device& device, const SgemmCall& call);

}  // namespace clgemm::bench
