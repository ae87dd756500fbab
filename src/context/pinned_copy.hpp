// Copies between the caller's memory and a device's own, by way of pinned memory, which the device reads and
// writes at full speed while the host goes on.
#pragma once

#include <array>
#include <cstddef>

#include "base/opencl.hpp"
#include "call/problem.hpp"
#include "context/scratch.hpp"

namespace clgemm {

// One direction of copies on a queue of its own, through two pinned chunks in turn: while the device moves
// one, the host fills or empties the other. Only the host touches the caller's memory. For one thread.
class PinnedCopier {
 public:
  PinnedCopier(const cl::CommandQueue& queue, ScratchPool& staging, std::size_t chunk_bytes);
  ~PinnedCopier();

  PinnedCopier(const PinnedCopier&) = delete;
  PinnedCopier& operator=(const PinnedCopier&) = delete;

  // Copies the lines from `host`, gaps left out, to the start of `device`. The event completes when the last
  // of them has arrived; `host` is free at the return.
  cl::Event upload(const float* host, const Lines& lines, const cl::Buffer& device);

  // Copies the start of `device` to the lines at `host`, gaps left alone, once `ready` completes. Returns
  // when done.
  void download(const cl::Buffer& device, const cl::Event& ready, float* host, const Lines& lines);

 private:
  struct Chunk {
    ScratchPool::Buffer pinned;
    float* memory = nullptr;
    cl::Event busy;  // the transfer that uses it
  };

  // A chunk that no transfer uses, of at least `bytes`.
  Chunk& free_chunk(std::size_t bytes);
  void release(Chunk& chunk);
  std::size_t lines_a_chunk(const Lines& lines) const;

  cl::CommandQueue queue_;
  ScratchPool& staging_;
  std::size_t chunk_bytes_;
  std::array<Chunk, 2> chunks_;
  std::size_t next_ = 0;
};

}  // namespace clgemm
