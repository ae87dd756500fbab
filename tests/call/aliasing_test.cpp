// Checks whether matrices share elements by comparison with sets of the elements themselves.
#include "call/aliasing.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "support/catch.hpp"

namespace clgemm {
namespace {

using Elements = std::set<std::int64_t>;

Elements elements_of(const Region& region, std::size_t batch) {
  Elements result;
  for (std::size_t line = 0; line < region.lines.count; ++line) {
    for (std::size_t i = 0; i < region.lines.length; ++i) {
      result.insert(region.first +
                    static_cast<std::int64_t>(batch * region.stride + line * region.lines.ld + i));
    }
  }
  return result;
}

Elements elements_of(const Region& region) {
  Elements result;
  for (std::size_t batch = 0; batch < region.batch_count; ++batch) result.merge(elements_of(region, batch));
  return result;
}

bool share(const Elements& x, const Elements& y) {
  return std::any_of(x.begin(), x.end(), [&y](std::int64_t element) { return y.count(element) != 0; });
}

bool batch_shares(const Region& x) {
  std::size_t total = 0;
  for (std::size_t batch = 0; batch < x.batch_count; ++batch) total += elements_of(x, batch).size();
  return elements_of(x).size() != total;
}

std::string describe(const Region& x) {
  return "first " + std::to_string(x.first) + ", " + std::to_string(x.lines.count) + " lines of " +
         std::to_string(x.lines.length) + ", ld " + std::to_string(x.lines.ld) + ", batch of " +
         std::to_string(x.batch_count) + ", stride " + std::to_string(x.stride);
}

// Makes small random regions. The number of lines may be 0. ld is at least their length and at least 1.
class Regions {
 public:
  explicit Regions(std::uint32_t seed) : generator_(seed) {}

  std::size_t up_to(std::size_t last) { return generator_() % (last + 1); }

  Region next(std::size_t largest_batch) {
    Region result;
    result.first = static_cast<std::int64_t>(up_to(60)) - 30;
    result.lines.count = up_to(5);
    result.lines.length = up_to(6);
    result.lines.ld = std::max<std::size_t>(result.lines.length, 1) + up_to(8);
    result.batch_count = up_to(largest_batch);
    result.stride = up_to(30);
    return result;
  }

  Region next_with_ld(std::size_t ld, std::size_t largest_batch) {
    Region result = next(largest_batch);
    result.lines.length = std::min(result.lines.length, ld);
    result.lines.ld = ld;
    return result;
  }

 private:
  std::mt19937 generator_;
};

TEST_CASE("overlap of single matrices with the same leading dimension is exact") {
  Regions regions(1);
  int shared = 0;
  for (int i = 0; i < 20000; ++i) {
    Region x = regions.next(1);
    Region y = regions.next_with_ld(x.lines.ld, 1);
    x.batch_count = y.batch_count = 1;
    INFO(describe(x) << " and " << describe(y));
    const bool expected = share(elements_of(x), elements_of(y));
    REQUIRE(overlaps(x, y) == expected);
    REQUIRE(overlaps(y, x) == expected);
    shared += expected ? 1 : 0;
  }
  CHECK(shared > 2000);
  CHECK(shared < 18000);
}

TEST_CASE("overlap of batches with the same leading dimension is exact") {
  Regions regions(2);
  for (int i = 0; i < 5000; ++i) {
    const Region x = regions.next(4);
    const Region y = regions.next_with_ld(x.lines.ld, 4);
    INFO(describe(x) << " and " << describe(y));
    REQUIRE(overlaps(x, y) == share(elements_of(x), elements_of(y)));
  }
}

TEST_CASE("overlap of matrices with different leading dimensions is exact") {
  Regions regions(3);
  int apart_in_gaps = 0;
  for (int i = 0; i < 20000; ++i) {
    const Region x = regions.next(3);
    const Region y = regions.next(3);
    INFO(describe(x) << " and " << describe(y));
    const Elements of_x = elements_of(x);
    const Elements of_y = elements_of(y);
    const bool expected = share(of_x, of_y);
    REQUIRE(overlaps(x, y) == expected);
    const bool ranges_meet =
        !of_x.empty() && !of_y.empty() && *of_x.begin() <= *of_y.rbegin() && *of_y.begin() <= *of_x.rbegin();
    apart_in_gaps += !expected && ranges_meet ? 1 : 0;
  }
  CHECK(apart_in_gaps > 200);
}

TEST_CASE("a matrix may be in the gaps between another matrix's rows") {
  const Region c{0, {4, 4, 20}};
  CHECK_FALSE(overlaps(c, Region{4, {2, 4, 40}}));  // A in C's gaps
  CHECK(overlaps(c, Region{4, {2, 4, 38}}));        // its second row begins in C's third
  const Region column{10, {8, 1, 10}};              // one column, every second element in a gap of C
  CHECK(overlaps(c, column));
  CHECK_FALSE(overlaps(c, Region{10, {4, 1, 20}}));
  CHECK_FALSE(overlaps(c, Region{10, {2, 1, 40}}));
}

TEST_CASE("a million lines of different leading dimensions are compared in reasonable time") {
  const Region c{0, {1000000, 100, 300}};
  CHECK_FALSE(overlaps(c, Region{100, {500000, 100, 600}}));
  CHECK(overlaps(c, Region{299999700, {1, 301, 400}}));
}

TEST_CASE("ranges that do not touch never overlap") {
  Regions regions(4);
  for (int i = 0; i < 5000; ++i) {
    const Region x = regions.next(3);
    Region y = regions.next(3);
    const Elements of_x = elements_of(x);
    if (of_x.empty()) continue;
    y.first = *of_x.rbegin() + 1;
    INFO(describe(x) << " and " << describe(y));
    REQUIRE_FALSE(overlaps(x, y));
    REQUIRE_FALSE(overlaps(y, x));
  }
}

TEST_CASE("a batch overlaps itself if two of its matrices share an element") {
  Regions regions(5);
  int shared = 0;
  for (int i = 0; i < 10000; ++i) {
    const Region x = regions.next(5);
    INFO(describe(x));
    const bool expected = batch_shares(x);
    REQUIRE(overlaps_itself(x) == expected);
    shared += expected ? 1 : 0;
  }
  CHECK(shared > 1000);
}

TEST_CASE("interleaved matrices of a batch: the first overlaps the third, but not the second") {
  const Region meets{0, {2, 3, 10}, 3, 5};
  CHECK(overlaps_itself(meets));
  const Region columns{0, {4, 1, 100}, 100, 1};  // matrix i is column i of a larger one
  CHECK_FALSE(overlaps_itself(columns));
}

TEST_CASE("parts of one larger matrix may be next to each other") {
  const Region left{0, {100, 50, 100}};
  const Region right{50, {100, 50, 100}};
  const Region middle{49, {100, 2, 100}};
  CHECK_FALSE(overlaps(left, right));
  CHECK(overlaps(left, middle));
  CHECK(overlaps(middle, right));
}

TEST_CASE("positions beyond 32 bits are compared correctly") {
  const std::int64_t far = std::int64_t{1} << 33;
  const Region low{0, {2, 10, std::size_t{1} << 33}};
  CHECK(overlaps(low, Region{far, {1, 1, std::size_t{1} << 33}}));
  CHECK_FALSE(overlaps(low, Region{far + 10, {1, 1, std::size_t{1} << 33}}));
  CHECK_FALSE(overlaps(low, Region{10, {1, 10, std::size_t{1} << 33}}));
}

TEST_CASE(
    "batches with some thousand pairs are compared pair by pair, and only neighbours in larger batches") {
  // Only the last matrix of y meets a matrix of x, the first one.
  const auto meets = [](std::size_t count_x, std::size_t count_y) {
    const Region x{0, {1, 10, 10}, count_x, 1000};
    const Region y{-2000 * (static_cast<std::int64_t>(count_y) - 1), {1, 10, 10}, count_y, 2000};
    CHECK(overlaps(y, x) == overlaps(x, y));
    return overlaps(x, y);
  };
  CHECK(meets(64, 64));
  CHECK(meets(1, 4096));
  CHECK_FALSE(meets(64, 65));
  CHECK_FALSE(meets(2, 4096));
  CHECK(meets(100000, 2));  // neighbouring matrices
}

TEST_CASE("large batches are compared in reasonable time, and overlapping neighbours are always found") {
  const Region c{0, {4, 4, 4}, 100000, 16};
  const Region beside{1600000, {4, 4, 4}, 100000, 16};
  CHECK_FALSE(overlaps(c, beside));
  CHECK(overlaps(c, c));
  CHECK_FALSE(overlaps_itself(c));
}

}  // namespace
}  // namespace clgemm
