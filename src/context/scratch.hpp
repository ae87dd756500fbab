// Device buffers for packed operands, used again and again.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "base/opencl.hpp"

namespace clgemm {

// Any number of threads may use one. A buffer that was given back waits, on the device, for its last use.
class ScratchPool {
 public:
  // `flags` as for clCreateBuffer. At most `keep_bytes` lie idle in the pool.
  ScratchPool(cl::Context context, cl_mem_flags flags, std::size_t keep_bytes)
      : context_(std::move(context)), flags_(flags), keep_bytes_(keep_bytes) {}

  struct Buffer {
    cl::Buffer memory;
    std::size_t bytes = 0;
    cl::Event last_use;  // null in a new buffer; the next commands that write here must wait for it
  };

  // The smallest idle buffer that is large enough, or a new one. Throws Error(out_of_memory) where the device
  // has no room even after the pool let go of its idle buffers.
  Buffer take(std::size_t bytes);

  // Takes a buffer back; `last_use` is set to the last command that uses it. A buffer that is never given
  // back is released by OpenCL once its commands are complete.
  void give_back(Buffer buffer);

 private:
  cl::Buffer allocate(std::size_t bytes);

  cl::Context context_;
  cl_mem_flags flags_;
  std::size_t keep_bytes_;
  std::mutex mutex_;
  std::vector<Buffer> idle_;  // the longest idle first
};

}  // namespace clgemm
