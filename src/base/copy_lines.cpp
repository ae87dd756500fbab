#include "base/copy_lines.hpp"

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace clgemm {

// Uses threads because most of the time of a large copy goes into the first touch of new memory.
void copy_by_threads(float* to, std::size_t to_ld, const float* from, std::size_t from_ld, std::size_t count,
                     std::size_t length) {
  constexpr std::size_t worth_a_thread = std::size_t{16} << 20;
  const std::size_t wanted = std::min<std::size_t>(count * length * sizeof(float) / worth_a_thread,
                                                   std::thread::hardware_concurrency());
  const std::size_t parts = std::max<std::size_t>(std::min(wanted, count), 1);
  const auto copy_part = [=](std::size_t part) {
    const std::size_t begin = count * part / parts;
    const std::size_t end = count * (part + 1) / parts;
    copy_lines(to + begin * to_ld, to_ld, from + begin * from_ld, from_ld, end - begin, length);
  };
  std::vector<std::thread> threads;
  std::size_t started = 1;
  try {
    for (; started < parts; ++started) threads.emplace_back(copy_part, started);
  } catch (const std::system_error&) {
    for (; started < parts; ++started) copy_part(started);
  }
  copy_part(0);
  for (std::thread& thread : threads) thread.join();
}

CopyThreads copy_threads() {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return {std::clamp<std::size_t>(cores * 3 / 8, 1, 10), std::clamp<std::size_t>(cores / 4, 1, 6)};
}

SavedLines::SavedLines(float* first, std::size_t count, std::size_t length, std::size_t ld)
    : first_(first), count_(count), length_(length), ld_(ld) {
  if (count == 0) return;
  saved_.reset(new float[count * length]);
  copy_by_threads(saved_.get(), length, first, ld, count, length);
}

void SavedLines::restore() const {
  if (saved_) copy_by_threads(first_, ld_, saved_.get(), length_, count_, length_);
}

}  // namespace clgemm
