#include "context/pinned_copy.hpp"

#include <algorithm>
#include <cstring>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

namespace clgemm {
namespace {

std::size_t line_bytes(const Lines& lines) {
  return lines.length * sizeof(float);
}

// One thread's memcpy is slower than the bus; from this size on, several share the work. Both numbers are
// guesses.
constexpr std::size_t bytes_a_thread = std::size_t{1} << 20;
constexpr std::size_t max_threads = 4;

void copy_part(float* to, std::size_t to_ld, const float* from, std::size_t from_ld, std::size_t count,
               const Lines& lines) {
  if (to_ld == lines.length && from_ld == lines.length) {
    std::memcpy(to, from, count * line_bytes(lines));
    return;
  }
  for (std::size_t line = 0; line < count; ++line) {
    std::memcpy(to + line * to_ld, from + line * from_ld, line_bytes(lines));
  }
}

// Copies `count` lines between a compact place and one with gaps.
void copy_lines(float* to, std::size_t to_ld, const float* from, std::size_t from_ld, std::size_t count,
                const Lines& lines) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t wanted =
      std::min({count * line_bytes(lines) / bytes_a_thread, cores, max_threads, count});
  const std::size_t step = (count + std::max<std::size_t>(wanted, 1) - 1) / std::max<std::size_t>(wanted, 1);
  std::vector<std::future<void>> others;
  for (std::size_t first = step; first < count; first += step) {
    const auto copy = [=, &lines] {
      copy_part(to + first * to_ld, to_ld, from + first * from_ld, from_ld, std::min(step, count - first),
                lines);
    };
    try {
      others.push_back(std::async(std::launch::async, copy));
    } catch (const std::system_error&) {
      copy();  // no thread can be started
    }
  }
  copy_part(to, to_ld, from, from_ld, std::min(step, count), lines);
}

}  // namespace

PinnedCopier::PinnedCopier(const cl::CommandQueue& queue, ScratchPool& staging, std::size_t chunk_bytes)
    : queue_(queue), staging_(staging), chunk_bytes_(chunk_bytes) {}

PinnedCopier::~PinnedCopier() {
  try {
    for (Chunk& chunk : chunks_) release(chunk);
  } catch (const cl::Error&) {
    return;  // what is not given back is released by its owner's end
  }
}

cl::Event PinnedCopier::upload(const float* host, const Lines& lines, const cl::Buffer& device) {
  const std::size_t step = lines_a_chunk(lines);
  cl::Event last;
  for (std::size_t line = 0; line < lines.count; line += step) {
    const std::size_t count = std::min(step, lines.count - line);
    const std::size_t bytes = count * line_bytes(lines);
    Chunk& chunk = free_chunk(bytes);
    copy_lines(chunk.memory, lines.length, host + line * lines.ld, lines.ld, count, lines);
    queue_.enqueueWriteBuffer(device, CL_FALSE, line * line_bytes(lines), bytes, chunk.memory, nullptr,
                              &chunk.busy);
    queue_.flush();
    last = chunk.busy;
  }
  return last;
}

void PinnedCopier::download(const cl::Buffer& device, const cl::Event& ready, float* host,
                            const Lines& lines) {
  const std::size_t step = lines_a_chunk(lines);
  const std::vector<cl::Event> before = {ready};
  const auto empty = [&](const Chunk& chunk, std::size_t line) {
    chunk.busy.wait();
    copy_lines(host + line * lines.ld, lines.ld, chunk.memory, lines.length,
               std::min(step, lines.count - line), lines);
  };
  const Chunk* previous = nullptr;
  for (std::size_t line = 0; line < lines.count; line += step) {
    const std::size_t bytes = std::min(step, lines.count - line) * line_bytes(lines);
    Chunk& chunk = free_chunk(bytes);
    queue_.enqueueReadBuffer(device, CL_FALSE, line * line_bytes(lines), bytes, chunk.memory, &before,
                             &chunk.busy);
    queue_.flush();
    if (previous != nullptr) empty(*previous, line - step);
    previous = &chunk;
  }
  if (previous != nullptr) empty(*previous, (lines.count - 1) / step * step);
}

PinnedCopier::Chunk& PinnedCopier::free_chunk(std::size_t bytes) {
  Chunk& chunk = chunks_[next_];
  next_ = (next_ + 1) % chunks_.size();
  if (chunk.busy() != nullptr) chunk.busy.wait();
  if (chunk.memory == nullptr || chunk.pinned.bytes < bytes) {
    release(chunk);
    chunk.pinned = staging_.take(std::max(bytes, chunk_bytes_));
    chunk.memory = static_cast<float*>(queue_.enqueueMapBuffer(
        chunk.pinned.memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, chunk.pinned.bytes));
  }
  return chunk;
}

void PinnedCopier::release(Chunk& chunk) {
  if (chunk.memory == nullptr) return;
  if (chunk.busy() != nullptr) chunk.busy.wait();
  queue_.enqueueUnmapMemObject(chunk.pinned.memory, chunk.memory);
  queue_.finish();
  chunk.memory = nullptr;
  chunk.busy = {};
  staging_.give_back(std::move(chunk.pinned));
}

std::size_t PinnedCopier::lines_a_chunk(const Lines& lines) const {
  return std::max<std::size_t>(chunk_bytes_ / line_bytes(lines), 1);
}

}  // namespace clgemm
