// Matrices in memory that host and device share: OpenCL's shared virtual memory, and Intel's unified shared
// memory. A buffer that is made on such memory with CL_MEM_USE_HOST_PTR is the same memory. OpenCL 2.0
// promises this for pointers from clSVMAlloc(), and CL_MEM_USES_SVM_POINTER tells whether it holds. So the
// check of a call replaces pointers by buffers, and later code knows nothing of pointers.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstddef>
#include <vector>

#include "base/opencl.hpp"
#include "call/device_matrices.hpp"

namespace clgemm {

// A matrix of a call, and the number of elements that the call uses from the matrix's offset on.
struct UsedMatrix {
  DeviceMatrix& matrix;
  std::size_t extent;
  const char* name;
  Argument argument;
};

inline bool is_pointer(const DeviceMatrix& matrix) {
  return matrix.buffer.pointer() != nullptr;
}
bool lie_in_shared_memory(const std::vector<DeviceMatrix>& matrices);

// Adds the matrices that a call reads or writes.
void add_used(const SgemmCall& call, const Extents& extents, DeviceMatrix& a, DeviceMatrix& b,
              DeviceMatrix& c, std::vector<UsedMatrix>& used);

// Replaces the pointers by buffers, one for each allocation. Keep the result until the call has returned,
// because the matrices do not retain their buffers. Throws Error in the caller's terms if a pointer is not to
// shared memory of the context, or if the matrix is longer than its memory.
std::vector<cl::Buffer> put_on_buffers(const std::vector<UsedMatrix>& matrices,
                                       const Surroundings& surroundings);

}  // namespace clgemm
