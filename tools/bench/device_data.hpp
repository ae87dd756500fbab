// One problem's matrices in device memory, with the queue that everybody multiplies them on.
#pragma once

#include <vector>

#include "device.hpp"
#include "host_data.hpp"
#include "opencl.hpp"

namespace clgemm::bench {

class DeviceData {
 public:
  // `queue` is in-order, with profiling. `host` must outlive it.
  DeviceData(const cl::CommandQueue& queue, const HostData& host);

  // C as it was before any multiply: see HostData::c. Complete when it returns.
  void restore_c() const;

  // Waits for what was enqueued by reading an element of C: not every driver waits in clFinish (rusticl of
  // Mesa 22 returns at once), but none hands out memory that is still being written.
  void wait_for_c() const;

  // C, row-major without gaps.
  std::vector<float> read_c() const;

  const HostData& host() const { return host_; }
  const SgemmCall& call() const { return host_.call; }
  const cl::CommandQueue& queue() const { return queue_; }
  DeviceMatrix a() const { return {a_(), call().lda, 0}; }
  DeviceMatrix b() const { return {b_(), call().ldb, 0}; }
  DeviceMatrix c() const { return {c_(), call().ldc, 0}; }

 private:
  const HostData& host_;
  cl::CommandQueue queue_;
  cl::Buffer a_;
  cl::Buffer b_;
  cl::Buffer original_c_;
  cl::Buffer c_;
};

// Throws Error(out_of_memory) where the device cannot hold the matrices of this size.
void check_fits(const Device& device, const Size& size);

}  // namespace clgemm::bench
