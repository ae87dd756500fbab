// Mapped memory of buffers that are let go.
#pragma once

#include "base/opencl.hpp"

namespace clgemm {

// A driver that refuses is asked once more: what is released while it is mapped stays pinned to the end of
// the process (PoCL, 4 MiB of 4).
inline void unmap_before_release(const cl::CommandQueue& queue, const cl::Buffer& buffer,
                                 void* memory) noexcept {
  if (clEnqueueUnmapMemObject(queue(), buffer(), memory, 0, nullptr, nullptr) != CL_SUCCESS)
    clEnqueueUnmapMemObject(queue(), buffer(), memory, 0, nullptr, nullptr);
}

}  // namespace clgemm
