#include "scratch/scratch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/handles.hpp"
#include "launch/kernel_launch.hpp"

namespace clgemm {

namespace {

// Returns a negative status if the last use failed, or if its status is not available.
cl_int status_of(const cl::Event& event) {
  try {
    return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
  } catch (const cl::Error& failure) {
    return failure.err();
  }
}

}  // namespace

cl::Buffer zeros_on_device(const cl::Context& context, cl_mem_flags flags, std::size_t bytes) {
  std::vector<char> zeros(bytes);
  return cl::Buffer(context, flags | CL_MEM_COPY_HOST_PTR, bytes, zeros.data());
}

// Drops a buffer if a command on it failed, because other commands may still be using it.
std::optional<ScratchPool::Buffer> ScratchPool::take_idle(std::size_t bytes, const cl::CommandQueue& queue,
                                                          const std::vector<cl::Event>& wait_for) {
  const auto is_usable = [&](const Buffer& idle) {
    const auto is_last_use = [&](const cl::Event& event) { return event() == idle.last_use(); };
    if (idle.queue() == nullptr) return true;
    if (idle.last_use() == nullptr) return idle.queue() == queue();
    if (std::any_of(wait_for.begin(), wait_for.end(), is_last_use)) return true;
    return idle.queue() == queue() && (!idle.waits || is_in_order(queue));
  };
  const std::lock_guard lock(mutex_);
  idle_.remove_if([](Buffer& idle) {
    if (idle.last_use() == nullptr) return false;
    const cl_int status = status_of(idle.last_use);
    if (status == CL_COMPLETE) {
      assign(idle.last_use, {});
      assign(idle.queue, {});
    }
    return status < 0;
  });
  auto best = idle_.end();
  for (auto idle = idle_.begin(); idle != idle_.end(); ++idle) {
    if (idle->bytes < bytes || (best != idle_.end() && best->bytes <= idle->bytes)) continue;
    if (is_usable(*idle)) best = idle;
  }
  if (best == idle_.end()) return std::nullopt;
  Buffer result = std::move(*best);
  idle_.erase(best);
  return result;
}

ScratchPool::Buffer ScratchPool::take(std::size_t bytes, const cl::CommandQueue& queue,
                                      const std::vector<cl::Event>& wait_for) {
  std::optional<Buffer> idle = take_idle(bytes, queue, wait_for);
  if (!idle) {
    ask_other_queues(queue);
    return {allocate(bytes), bytes, {}, {}, false};
  }
  // An in-order queue waits by itself, and goes on even if the last use fails.
  if (idle->last_use() != nullptr && idle->queue() == queue() && is_in_order(queue))
    assign(idle->last_use, {});
  return std::move(*idle);
}

// Commands without an event cannot be asked whether they are complete. A marker behind them on their queue
// can be asked, and the next call that finds no buffer does so.
void ScratchPool::ask_other_queues(const cl::CommandQueue& queue) {
  const std::lock_guard lock(mutex_);
  idle_.remove_if([&](Buffer& idle) {
    if (idle.last_use() != nullptr || idle.queue() == nullptr || idle.queue() == queue()) return false;
    try {
      idle.queue.enqueueMarkerWithWaitList(nullptr, &idle.last_use);
      idle.queue.flush();
      return false;
    } catch (const cl::Error&) {
      return true;  // its status is not available
    }
  });
}

void ScratchPool::give_back(Buffer buffer, const std::vector<cl::Event>& last_use,
                            const cl::CommandQueue& queue, bool waits) {
  assign(buffer.last_use, last_use.empty() ? cl::Event() : last_use.front());
  if (buffer.queue() != queue()) assign(buffer.queue, queue);
  buffer.waits = waits;
  give_back(std::move(buffer));
}

void ScratchPool::give_back(Buffer buffer) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(buffer));
  const auto add = [](std::size_t sum, const Buffer& idle) { return sum + idle.bytes; };
  while (std::accumulate(idle_.begin(), idle_.end(), std::size_t{0}, add) > keep_bytes_) idle_.pop_front();
}

cl::Buffer ScratchPool::new_buffer(std::size_t bytes) const {
  return content_ == Content::zeros ? zeros_on_device(context_, flags_, bytes)
                                    : cl::Buffer(context_, flags_, bytes);
}

cl::Buffer ScratchPool::allocate(std::size_t bytes) {
  try {
    return new_buffer(bytes);
  } catch (const cl::Error&) {
    const std::lock_guard lock(mutex_);
    idle_.clear();
  }
  try {
    return new_buffer(bytes);
  } catch (const cl::Error& failure) {
    throw Error(ErrorCode::out_of_memory,
                fmt::format("the device cannot allocate {} bytes of scratch memory: {}", bytes,
                            opencl_status_name(failure.err())));
  }
}

}  // namespace clgemm
