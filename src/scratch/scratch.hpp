// Device buffers for packed operands, which are reused.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

#include "base/opencl.hpp"

namespace clgemm {

// Returns a buffer of zeros.
cl::Buffer zeros_on_device(const cl::Context& context, cl_mem_flags flags, std::size_t bytes);

// Any number of threads may use the same pool. Buffers are given back while the device still uses them, and
// the next call that takes such a buffer waits for it on the device. But no call waits for something that
// another call waits for. The events of that call may fail or come only after this call, and on PoCL (3.1)
// commands that wait for a failed event wait forever.
class ScratchPool {
 public:
  // The content of a new buffer. A call that takes zeros must leave zeros.
  enum class Content { anything, zeros };

  // `flags` are those of clCreateBuffer. At most `keep_bytes` are idle in the pool.
  ScratchPool(cl::Context context, cl_mem_flags flags, std::size_t keep_bytes,
              Content content = Content::anything)
      : context_(std::move(context)), flags_(flags), keep_bytes_(keep_bytes), content_(content) {}

  struct Buffer {
    cl::Buffer memory;
    std::size_t bytes = 0;
    // Null: nothing uses the buffer, or `queue` is set. The next commands that write to the buffer must wait
    // for it.
    cl::Event last_use;
    cl::CommandQueue queue;  // queue of the last use; null: nothing uses it
    bool waits = false;      // the last use waits for events that its caller named
  };

  // Takes a buffer for commands on `queue` behind `wait_for`. It is the smallest idle buffer that is large
  // enough and that they may use, or a new one. Throws Error(out_of_memory) if the device has no room even
  // after the pool has released its idle buffers.
  Buffer take(std::size_t bytes, const cl::CommandQueue& queue, const std::vector<cl::Event>& wait_for);

  // Takes a buffer for the host's own use.
  Buffer take(std::size_t bytes) { return take(bytes, {}, {}); }

  // Takes a buffer back, behind commands on `queue`. The queue is in-order and there is no event, or
  // `last_use` has the event of their end. `waits`: these commands wait for events that their caller named.
  // OpenCL releases a buffer that is never given back when its commands are complete.
  void give_back(Buffer buffer, const std::vector<cl::Event>& last_use, const cl::CommandQueue& queue,
                 bool waits);

  // Takes back a buffer that nothing uses.
  void give_back(Buffer buffer);

 private:
  std::optional<Buffer> take_idle(std::size_t bytes, const cl::CommandQueue& queue,
                                  const std::vector<cl::Event>& wait_for);
  void ask_other_queues(const cl::CommandQueue& queue);
  cl::Buffer allocate(std::size_t bytes);
  cl::Buffer new_buffer(std::size_t bytes) const;

  cl::Context context_;
  cl_mem_flags flags_;
  std::size_t keep_bytes_;
  Content content_;
  std::mutex mutex_;
  std::list<Buffer> idle_;  // the longest idle first
};

}  // namespace clgemm
