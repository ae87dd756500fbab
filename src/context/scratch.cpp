#include "context/scratch.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/error.hpp"

namespace clgemm {

ScratchPool::Buffer ScratchPool::take(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    auto best = idle_.end();
    for (auto buffer = idle_.begin(); buffer != idle_.end(); ++buffer) {
      if (buffer->bytes >= bytes && (best == idle_.end() || buffer->bytes < best->bytes)) best = buffer;
    }
    if (best != idle_.end()) {
      Buffer result = std::move(*best);
      idle_.erase(best);
      return result;
    }
  }
  return {allocate(bytes), bytes, {}};
}

void ScratchPool::give_back(Buffer buffer) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(buffer));
  const auto add = [](std::size_t sum, const Buffer& idle) { return sum + idle.bytes; };
  while (std::accumulate(idle_.begin(), idle_.end(), std::size_t{0}, add) > keep_bytes_)
    idle_.erase(idle_.begin());
}

cl::Buffer ScratchPool::allocate(std::size_t bytes) {
  try {
    return cl::Buffer(context_, flags_, bytes);
  } catch (const cl::Error&) {
    const std::lock_guard lock(mutex_);
    idle_.clear();
  }
  try {
    return cl::Buffer(context_, flags_, bytes);
  } catch (const cl::Error& failure) {
    throw Error(ErrorCode::out_of_memory, fmt::format("the device has no {} bytes of scratch memory: {}",
                                                      bytes, opencl_status_name(failure.err())));
  }
}

}  // namespace clgemm
