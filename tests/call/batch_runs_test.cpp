// A batch of matrices at any place, as runs that lie evenly apart.
#include "call/batch_runs.hpp"

#include <random>

#include "support/thrown.hpp"

namespace clgemm {
namespace {

// Stands for a buffer: compared, never used.
cl_mem buffer(std::size_t i) {
  static char places[4];
  return reinterpret_cast<cl_mem>(places + i);
}

std::vector<DeviceMatrix> at(const std::vector<std::size_t>& offsets, std::size_t ld = 8) {
  std::vector<DeviceMatrix> result;
  for (const std::size_t offset : offsets) result.push_back({buffer(0), ld, offset});
  return result;
}

std::vector<std::size_t> counts(const std::vector<BatchRun>& runs) {
  std::vector<std::size_t> result;
  for (const BatchRun& run : runs) result.push_back(run.count);
  return result;
}

using Counts = std::vector<std::size_t>;

TEST_CASE("an empty batch has no runs, and one matrix is one run") {
  CHECK(even_runs({}, {}, {}).empty());
  const auto runs = even_runs(at({7}), at({8}), at({9}));
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].first == 0);
  CHECK(runs[0].count == 1);
  CHECK(runs[0].stride_a == 0);
  CHECK(runs[0].stride_c == 0);
}

TEST_CASE("an even batch is one run, with a stride for each of A, B and C") {
  const auto runs = even_runs(at({0, 64, 128, 192}), at({5, 5, 5, 5}), at({10, 110, 210, 310}));
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].count == 4);
  CHECK(runs[0].stride_a == 64);
  CHECK(runs[0].stride_b == 0);
  CHECK(runs[0].stride_c == 100);
}

TEST_CASE("a run ends where any of the three leaves its stride") {
  const auto even = at({0, 10, 20, 30, 40});
  const auto odd = at({0, 10, 20, 31, 42});
  CHECK(counts(even_runs(odd, even, even)) == Counts{3, 2});
  CHECK(counts(even_runs(even, odd, even)) == Counts{3, 2});
  CHECK(counts(even_runs(even, even, odd)) == Counts{3, 2});
  CHECK(even_runs(even, even, odd)[1].first == 3);
}

TEST_CASE("a run ends where an offset goes back, the buffer changes or the leading dimension does") {
  const auto even = at({0, 10, 20});
  CHECK(counts(even_runs(at({20, 10, 0}), even, even)) == Counts{1, 1, 1});
  auto other_buffer = even;
  other_buffer[2].buffer = buffer(1);
  CHECK(counts(even_runs(even, other_buffer, even)) == Counts{2, 1});
  auto other_ld = even;
  other_ld[1].ld = 9;
  CHECK(counts(even_runs(even, even, other_ld)) == Counts{1, 1, 1});
}

TEST_CASE("lists of unequal length are refused with their lengths") {
  CHECK_ERROR(
      [] {
        even_runs(at({0, 1}), at({0}), at({0, 1}));
      },
      invalid_argument, "2 matrices A, 1 B and 2 C");
  CHECK_ERROR([] { even_runs(at({0}), at({0}), {}); }, invalid_argument, "1 matrices A, 1 B and 0 C");
}

TEST_CASE("every matrix of a random batch is in exactly one run, at its place") {
  std::mt19937 generator(1);
  const auto random_list = [&generator](std::size_t count) {
    std::vector<DeviceMatrix> result;
    std::size_t offset = 0;
    for (std::size_t i = 0; i < count; ++i) {
      result.push_back({buffer(generator() % 16 == 0 ? 1 : 0), 8, offset});
      offset = generator() % 4 == 0 ? generator() % 100 : offset + 10;
    }
    return result;
  };
  for (int round = 0; round < 500; ++round) {
    const std::size_t count = generator() % 20;
    const auto a = random_list(count);
    const auto b = random_list(count);
    const auto c = random_list(count);
    std::size_t next = 0;
    for (const BatchRun& run : even_runs(a, b, c)) {
      REQUIRE(run.first == next);
      REQUIRE(run.count > 0);
      for (std::size_t i = 0; i < run.count; ++i, ++next) {
        REQUIRE(a[next].buffer == a[run.first].buffer);
        REQUIRE(a[next].offset == a[run.first].offset + i * run.stride_a);
        REQUIRE(b[next].offset == b[run.first].offset + i * run.stride_b);
        REQUIRE(c[next].offset == c[run.first].offset + i * run.stride_c);
        REQUIRE(c[next].buffer == c[run.first].buffer);
      }
    }
    REQUIRE(next == count);
  }
}

}  // namespace
}  // namespace clgemm
