// Host matrices as device matrices, for the length of one call. Layer 5.
//
// A device that shares the host's memory uses the caller's memory where it lies. Any other gets compact
// copies: without the gaps between rows, which are neither read nor written.
#pragma once

#include "device.hpp"
#include "opencl.hpp"
#include "problem.hpp"

namespace clgemm {

// Throws Error(invalid_argument) for a null pointer to a matrix that the call reads or writes.
void check_host_pointers(const SgemmCall& call, const Extents& extents, const float* a, const float* b,
                         const float* c);

class HostMatrices {
 public:
  // Enqueues what brings the matrices to the device. The host memory must stay until finish() or the
  // destructor.
  HostMatrices(const cl::Context& context, const cl::CommandQueue& queue, const Device& device,
               const SgemmCall& call, const Extents& extents, const float* a, const float* b, float* c);

  // Waits for whatever is still under way, so that the caller's memory is the caller's again.
  ~HostMatrices();

  HostMatrices(const HostMatrices&) = delete;
  HostMatrices& operator=(const HostMatrices&) = delete;

  DeviceMatrix a() const { return a_.device; }
  DeviceMatrix b() const { return b_.device; }
  DeviceMatrix c() const { return c_.device; }

  // Brings C back behind everything that the queue has, and waits for it.
  void finish();

 private:
  struct Matrix {
    cl::Buffer buffer;
    DeviceMatrix device;
  };

  // How a matrix lies in host memory: lines of `length` elements, `ld` apart.
  struct Lines {
    std::size_t count = 0;
    std::size_t length = 0;
    std::size_t ld = 0;
  };

  Matrix share(const cl::Context& context, cl_mem_flags access, const float* host, std::size_t extent,
               std::size_t ld) const;
  Matrix copy(const cl::Context& context, cl_mem_flags access, const float* host, const Lines& lines,
              bool upload) const;

  const cl::CommandQueue& queue_;
  bool shared_;
  float* host_c_;
  std::size_t c_extent_;
  Lines c_lines_;
  Matrix a_;
  Matrix b_;
  Matrix c_;
  bool finished_ = false;
};

}  // namespace clgemm
