// Copies lines (rows or columns) of matrices that have gaps between them.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

namespace clgemm {

// Copies `count` lines of `length` floats, at distances of `to_ld` and `from_ld`.
inline void copy_lines(float* to, std::size_t to_ld, const float* from, std::size_t from_ld,
                       std::size_t count, std::size_t length) {
  if (to_ld == length && from_ld == length) {
    std::memcpy(to, from, count * length * sizeof(float));
    return;
  }
  for (std::size_t line = 0; line < count; ++line)
    std::memcpy(to + line * to_ld, from + line * from_ld, length * sizeof(float));
}

// Does the same, by several threads if there is much to copy.
void copy_by_threads(float* to, std::size_t to_ld, const float* from, std::size_t from_ld, std::size_t count,
                     std::size_t length);

// The number of threads that copy to and from pinned memory for a call on host matrices. Measured on an
// H200's host (November 2026) with sides of 8192, 16384 and 32768 and chunks of 2 to 16 MiB. 4 to 10 threads
// copied in, and 2 to 6 copied out. A side of 16384 takes 0.107 s with 2 threads out, 0.072 s with 4, and
// 0.060 s with 10 in and 6 out.
struct CopyThreads {
  std::size_t in = 1;
  std::size_t out = 1;
};
CopyThreads copy_threads();

// Keeps lines as they were before a device began to write to them. A device that fails may have written some
// of them.
class SavedLines {
 public:
  // Saves lines that begin at `first`. Without a count there is nothing to save or restore.
  SavedLines(float* first, std::size_t count, std::size_t length, std::size_t ld);

  void restore() const;

 private:
  float* first_;
  std::size_t count_;
  std::size_t length_;
  std::size_t ld_;
  std::unique_ptr<float[]> saved_;
};

}  // namespace clgemm
