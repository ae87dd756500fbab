// How C is divided among devices, and which part remains if a device fails.
#include <numeric>

#include "devices/coverage.hpp"
#include "devices/shared_gemm.hpp"
#include "devices/shares.hpp"
#include "support/catch.hpp"

namespace clgemm {
namespace {

std::vector<std::size_t> counts(std::size_t size, const std::vector<double>& seconds) {
  std::vector<std::size_t> result;
  std::size_t begin = 0;
  for (const Range& range : shares_of(size, 256, seconds)) {
    CHECK(range.first == begin);
    begin += range.count;
    result.push_back(range.count);
  }
  CHECK(begin == size);
  return result;
}

TEST_CASE("shares are proportional to the speeds, and cover everything") {
  CHECK(counts(4096, {1, 1}) == std::vector<std::size_t>{2048, 2048});
  CHECK(counts(4096, {1, 3}) == std::vector<std::size_t>{3072, 1024});
  CHECK(counts(4096, {3, 1}) == std::vector<std::size_t>{1024, 3072});
  CHECK(counts(1000, {1, 1, 1}) == std::vector<std::size_t>{256, 256, 488});
  CHECK(counts(4096, {1}) == std::vector<std::size_t>{4096});
}

TEST_CASE("a device that is too slow for one unit gets nothing, and a tiny problem goes to one device") {
  CHECK(counts(4096, {1000, 1}) == std::vector<std::size_t>{0, 4096});
  CHECK(counts(4096, {2e-4, 1e-4, 1e-4}) == std::vector<std::size_t>{0, 4096, 0});
}

TEST_CASE("without predictions, all devices get equal shares") {
  CHECK(counts(4096, {0, 0}) == std::vector<std::size_t>{2048, 2048});
}

TEST_CASE("each device takes neighbouring pieces, and then the last piece of the longest share") {
  std::vector<int> pieces(10);
  std::iota(pieces.begin(), pieces.end(), 0);
  Shares<int> shares(pieces, 3);  // 0 to 3, 4 to 6, 7 to 9
  const auto next = [&shares](std::size_t taker) { return shares.next(taker).value_or(-1); };
  CHECK(next(1) == 4);
  CHECK(next(0) == 0);
  CHECK(next(2) == 7);
  CHECK(next(1) == 5);
  CHECK(next(1) == 6);
  CHECK(next(1) == 3);  // from 1 to 3, 8 and 9
  CHECK(next(1) == 2);  // from 1 and 2, 8 and 9
  CHECK(next(1) == 9);
  CHECK(next(0) == 1);
  CHECK(next(0) == 8);
  for (std::size_t taker = 0; taker < 3; ++taker) CHECK(next(taker) == -1);

  Shares<int> few({7}, 3);
  CHECK(few.next(2).value_or(-1) == 7);
  CHECK_FALSE(few.next(0));
  CHECK_FALSE(Shares<int>({}, 2).next(1));
}

TEST_CASE("the part of C that is left") {
  Coverage done(100, 70, 32);
  REQUIRE(done.missing().size() == 1);
  CHECK(done.missing()[0].rows.count == 100);
  CHECK(done.missing()[0].columns.count == 70);
  done.add({10, 20}, {0, 70});
  REQUIRE(done.missing().size() == 2);
  CHECK(done.missing()[0].rows.count == 10);
  CHECK(done.missing()[1].rows.first == 30);
  CHECK(done.missing()[1].rows.count == 70);
  done.add({30, 70}, {64, 6});
  // The first two columns of tiles have two runs, the last has one.
  const auto parts = done.missing();
  REQUIRE(parts.size() == 5);
  CHECK(parts[4].columns.first == 64);
  CHECK(parts[4].columns.count == 6);
  CHECK(parts[4].rows.count == 10);
  done.add({0, 100}, {0, 70});
  CHECK(done.missing().empty());
}

}  // namespace
}  // namespace clgemm
