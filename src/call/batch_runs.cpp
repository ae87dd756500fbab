#include "call/batch_runs.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace clgemm {
namespace {

// True where `next` may follow `previous` in a run: the same buffer and leading dimension, and not further in
// front.
bool follows(const DeviceMatrix& previous, const DeviceMatrix& next) {
  return next.buffer == previous.buffer && next.ld == previous.ld && next.offset >= previous.offset;
}

bool follows_by(const DeviceMatrix& previous, const DeviceMatrix& next, std::size_t stride) {
  return follows(previous, next) && next.offset - previous.offset == stride;
}

}  // namespace

std::vector<BatchRun> even_runs(const std::vector<DeviceMatrix>& a, const std::vector<DeviceMatrix>& b,
                                const std::vector<DeviceMatrix>& c) {
  if (a.size() != b.size() || a.size() != c.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the batch has {} matrices A, {} B and {} C; expected as many of each", a.size(),
                            b.size(), c.size()));
  }
  std::vector<BatchRun> runs;
  for (std::size_t i = 0; i < c.size();) {
    BatchRun run{i};
    const std::size_t second = i + 1;
    // Equal offsets of C would be one matrix written twice; the check of C's own overlap then sees them.
    if (second < c.size() && follows(a[i], a[second]) && follows(b[i], b[second]) &&
        follows(c[i], c[second])) {
      run.stride_a = a[second].offset - a[i].offset;
      run.stride_b = b[second].offset - b[i].offset;
      run.stride_c = c[second].offset - c[i].offset;
      std::size_t next = second;
      while (next < c.size() && follows_by(a[next - 1], a[next], run.stride_a) &&
             follows_by(b[next - 1], b[next], run.stride_b) &&
             follows_by(c[next - 1], c[next], run.stride_c)) {
        ++next;
      }
      run.count = next - i;
    }
    runs.push_back(run);
    i += run.count;
  }
  return runs;
}

}  // namespace clgemm
