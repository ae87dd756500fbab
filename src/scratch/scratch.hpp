// Device buffers for packed operands, used again and again.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

#include "base/opencl.hpp"

namespace clgemm {

// A buffer of zeros.
cl::Buffer zeros_on_device(const cl::Context& context, cl_mem_flags flags, std::size_t bytes);

// Any number of threads may use one. Buffers are given back while the device still uses them; who takes such
// a one waits for that on the device. But nobody waits for what some other call waits for: its events may
// fail, or come only after this call, and on PoCL (3.1) what waits for an event that failed waits for ever.
class ScratchPool {
 public:
  // What a new buffer holds. Whoever takes zeros leaves zeros.
  enum class Content { anything, zeros };

  // `flags` as for clCreateBuffer. At most `keep_bytes` lie idle in the pool.
  ScratchPool(cl::Context context, cl_mem_flags flags, std::size_t keep_bytes,
              Content content = Content::anything)
      : context_(std::move(context)), flags_(flags), keep_bytes_(keep_bytes), content_(content) {}

  struct Buffer {
    cl::Buffer memory;
    std::size_t bytes = 0;
    cl::Event last_use;  // null: nothing uses it, or `queue` tells. The next commands that write here must
                         // wait for it
    cl::CommandQueue queue;  // of the last use; null: nothing uses it
    bool waits = false;      // the last use waits for events that its caller named
  };

  // For commands on `queue` behind `wait_for`: the smallest large enough of the idle buffers that they may
  // use, or a new one. Throws Error(out_of_memory) where the device has no room even after the pool let go of
  // its idle buffers.
  Buffer take(std::size_t bytes, const cl::CommandQueue& queue, const std::vector<cl::Event>& wait_for);

  // For the host's own use.
  Buffer take(std::size_t bytes) { return take(bytes, {}, {}); }

  // Takes a buffer back, behind commands on `queue`: in-order and without an event, or with the event of
  // their end. Whether these commands wait for events that their caller named, `waits` says. A buffer that is
  // never given back is released by OpenCL once its commands are complete.
  void give_back(Buffer buffer, const std::vector<cl::Event>& last_use, const cl::CommandQueue& queue,
                 bool waits);

  // One that nothing uses.
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
