// Mapped memory of buffers that are released.
#pragma once

#include "base/opencl.hpp"

namespace clgemm {

// Unmaps the memory, with a second attempt if the driver refuses. A buffer that is released while it is
// mapped stays pinned until the process ends (PoCL, 4 MiB of 4).
inline void unmap_before_release(const cl::CommandQueue& queue, const cl::Buffer& buffer,
                                 void* memory) noexcept {
  if (clEnqueueUnmapMemObject(queue(), buffer(), memory, 0, nullptr, nullptr) != CL_SUCCESS)
    clEnqueueUnmapMemObject(queue(), buffer(), memory, 0, nullptr, nullptr);
}

}  // namespace clgemm
