// Checks whether matrices at any offsets share elements by comparison with sets of the elements themselves.
#include "call/listed_overlap.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "support/catch.hpp"

namespace clgemm {
namespace {

const char memories[2] = {};

struct Case {
  std::vector<PlacedMatrix> matrices;
  std::size_t lines = 1;
  std::size_t length = 1;
};

// Returns true if the matrices with these numbers have an element in common.
bool share(const Case& what, std::size_t i, std::size_t j) {
  std::map<std::pair<const void*, std::int64_t>, int> count;
  for (const PlacedMatrix& matrix : what.matrices) {
    if (matrix.number != i && matrix.number != j) continue;
    for (std::size_t line = 0; line < what.lines; ++line) {
      for (std::size_t at = 0; at < what.length; ++at) {
        const auto place = static_cast<std::int64_t>(line * matrix.ld + at);
        if (++count[{matrix.memory, matrix.first + place}] > 1) return true;
      }
    }
  }
  return false;
}

bool any_share(const Case& what) {
  for (std::size_t i = 0; i < what.matrices.size(); ++i) {
    for (std::size_t j = i + 1; j < what.matrices.size(); ++j) {
      if (share(what, i, j)) return true;
    }
  }
  return false;
}

// Returns whether two matrices were reported, and checks that the reported ones do overlap.
bool is_found(const Case& what) {
  const auto found = overlapping_two(what.matrices, what.lines, what.length);
  if (found) CHECK((found->first < found->second && share(what, found->first, found->second)));
  return found.has_value();
}

std::string describe(const Case& what) {
  std::string result = std::to_string(what.lines) + " lines of " + std::to_string(what.length);
  for (const PlacedMatrix& one : what.matrices) {
    result += "; " + std::to_string(one.memory == memories ? 0 : 1) + ":" + std::to_string(one.first) +
              ", ld " + std::to_string(one.ld);
  }
  return result;
}

// Makes up to five small matrices in a memory that has room for many of them, with one leading dimension or
// several.
Case random_case(std::mt19937& random, bool of_one_ld) {
  const auto up_to = [&random](std::size_t last) { return random() % (last + 1); };
  Case result{{}, up_to(4), up_to(4)};
  const std::size_t common = std::max<std::size_t>(result.length, 1) + up_to(12);
  const std::size_t count = up_to(5);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t ld = of_one_ld ? common : std::max<std::size_t>(result.length, 1) + up_to(12);
    result.matrices.push_back(
        {memories + (up_to(9) == 0 ? 1 : 0), static_cast<std::int64_t>(up_to(90)), ld, i});
  }
  return result;
}

TEST_CASE("two matrices are reported if and only if they share an element") {
  for (const bool of_one_ld : {true, false}) {
    std::mt19937 random(7);
    int shared = 0;
    for (int i = 0; i < 20000; ++i) {
      const Case what = random_case(random, of_one_ld);
      INFO(describe(what));
      const bool expected = any_share(what);
      REQUIRE(is_found(what) == expected);
      shared += expected ? 1 : 0;
    }
    CHECK(shared > 2000);
    CHECK(shared < 16000);
  }
}

// Makes tiles of one large matrix of 100 x 100 tiles, in mixed order.
Case tiles() {
  Case result{{}, 8, 8};
  for (std::size_t i = 0; i < 10000; ++i) {
    const std::size_t tile = i * 7 % 10000;
    result.matrices.push_back(
        {memories, static_cast<std::int64_t>(tile / 100 * 8 * 800 + tile % 100 * 8), 800, i});
  }
  return result;
}

TEST_CASE("tiles of one matrix do not overlap until one of them moves by one row or column") {
  Case what = tiles();
  CHECK_FALSE(is_found(what));
  for (const std::int64_t by : {std::int64_t{1}, std::int64_t{800}}) {
    what = tiles();
    what.matrices[5050].first += by;
    CHECK(is_found(what));
  }
}

TEST_CASE("a matrix with another leading dimension between the lines of many matrices") {
  Case what = tiles();
  what.matrices.erase(what.matrices.begin(), what.matrices.begin() + 5000);
  for (PlacedMatrix& matrix : what.matrices) matrix.number -= 5000;
  CHECK_FALSE(is_found(what));
  what.matrices[0].ld = 1600;  // its eight lines are in the rows of sixteen, which have other tiles
  CHECK(is_found(what));
}

}  // namespace
}  // namespace clgemm
