// One problem's matrices in device memory, with the queue that everybody multiplies them on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "data/busy_device.hpp"
#include "data/guards.hpp"
#include "data/host_data.hpp"

namespace clgemm::bench {

class DeviceData {
 public:
  // `queue` is in-order, with profiling. `host` must outlive it. `copies` of the matrices: see next_copy().
  DeviceData(const cl::CommandQueue& queue, const HostData& host, std::size_t copies = 1);

  // From now on, A, B and C are the next copies of them.
  void next_copy() const { current_ = (current_ + 1) % copies_.size(); }

  std::size_t copies() const { return copies_.size(); }

  // C as it was before any multiply: see HostData::c. Complete when it returns.
  void restore_c() const;

  // Waits for what was enqueued by reading an element of C: not every driver waits in clFinish (rusticl of
  // Mesa 22 returns at once), but none hands out memory that is still being written.
  void wait_for_c() const;

  // C, row-major without gaps. Behind it in its buffer, and in the gaps, lies what nobody may write to.
  std::vector<float> read_c() const;

  // What the last read_c() found written there, in words; empty where nothing was.
  const std::string& damage() const { return damage_; }

  // The matrices in the host's memory as the caller of a BLAS has them. Made when first asked for.
  const StoredMatrices& stored() const;

  // For whoever is timed on a device that is not idle.
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
  mutable std::size_t current_ = 0;  // whose turn it is; changes no matrix
  mutable std::string damage_;
  mutable std::optional<StoredMatrices> stored_;
};

// Throws Error(out_of_memory) where the device cannot hold a matrix of this call, gaps included.
void check_fits(const Device& device, const SgemmCall& call);

}  // namespace clgemm::bench
