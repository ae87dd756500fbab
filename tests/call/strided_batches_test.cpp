// Batches of matrices at any offsets, divided into strided batches.
#include "call/strided_batches.hpp"

#include <numeric>
#include <random>
#include <set>

#include "base/device.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

// Returns a handle that represents a buffer. It is compared, but never used.
cl_mem buffer(std::size_t i) {
  static char places[4];
  return reinterpret_cast<cl_mem>(places + i);
}

std::vector<DeviceMatrix> at(const std::vector<std::size_t>& offsets, std::size_t ld = 8) {
  std::vector<DeviceMatrix> result;
  for (const std::size_t offset : offsets) result.push_back({buffer(0), ld, offset});
  return result;
}

std::vector<std::size_t> counts(const std::vector<StridedBatch>& strided_batches) {
  std::vector<std::size_t> result;
  for (const StridedBatch& strided : strided_batches) result.push_back(strided.count);
  return result;
}

using Counts = std::vector<std::size_t>;

// One alpha and one beta for all, unless the test has others.
const std::vector<float> one = {1.0f};

// Returns the strided batches of a batch that is one group.
std::vector<StridedBatch> strided_batches_of(const std::vector<DeviceMatrix>& a,
                                             const std::vector<DeviceMatrix>& b,
                                             const std::vector<DeviceMatrix>& c,
                                             const std::vector<float>& alphas = one,
                                             const std::vector<float>& betas = one) {
  BatchGroup all(c.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return clgemm::strided_batches_of({alphas, a, b, betas, c}, all);
}

TEST_CASE("an empty list gives no strided batch, and one matrix gives one") {
  CHECK(strided_batches_of({}, {}, {}).empty());
  const auto strided_batches = strided_batches_of(at({7}), at({8}), at({9}));
  REQUIRE(strided_batches.size() == 1);
  CHECK(strided_batches[0].first == 0);
  CHECK(strided_batches[0].count == 1);
  CHECK(strided_batches[0].stride_a == 0);
  CHECK(strided_batches[0].stride_c == 0);
}

TEST_CASE("matrices at constant distances give one strided batch, with a stride for each of A, B and C") {
  const auto strided_batches =
      strided_batches_of(at({0, 64, 128, 192}), at({5, 5, 5, 5}), at({10, 110, 210, 310}));
  REQUIRE(strided_batches.size() == 1);
  CHECK(strided_batches[0].count == 4);
  CHECK(strided_batches[0].stride_a == 64);
  CHECK(strided_batches[0].stride_b == 0);
  CHECK(strided_batches[0].stride_c == 100);
}

TEST_CASE("a strided batch ends where A, B or C leaves its stride") {
  const auto even = at({0, 10, 20, 30, 40});
  const auto odd = at({0, 10, 20, 31, 42});
  CHECK(counts(strided_batches_of(odd, even, even)) == Counts{3, 2});
  CHECK(counts(strided_batches_of(even, odd, even)) == Counts{3, 2});
  CHECK(counts(strided_batches_of(even, even, odd)) == Counts{3, 2});
  CHECK(strided_batches_of(even, even, odd)[1].first == 3);
}

TEST_CASE("a strided batch ends where an offset decreases, and where alpha or beta changes") {
  const auto even = at({0, 10, 20});
  CHECK(counts(strided_batches_of(at({20, 10, 0}), even, even)) == Counts{1, 1, 1});
  CHECK(counts(strided_batches_of(even, even, even, {1, 1, 2})) == Counts{2, 1});
  CHECK(counts(strided_batches_of(even, even, even, {2, 2, 2}, {0, 1, 1})) == Counts{1, 2});
}

TEST_CASE("a group has one buffer and one leading dimension for each of A, B and C") {
  const auto even = at({0, 10, 20, 30});
  CHECK(groups_of({one, even, even, one, even}) == std::vector<BatchGroup>{{0, 1, 2, 3}});
  auto other_buffer = even;
  other_buffer[2].buffer = buffer(1);
  CHECK(groups_of({one, even, other_buffer, one, even}) == std::vector<BatchGroup>{{0, 1, 3}, {2}});
  auto other_ld = even;
  other_ld[1].ld = 9;
  CHECK(groups_of({one, other_buffer, even, one, other_ld}) == std::vector<BatchGroup>{{0, 3}, {1}, {2}});
  CHECK(groups_of({one, {}, {}, one, {}}).empty());
}

TEST_CASE("GEMMs that do not read A and B form their own group") {
  const auto even = at({0, 10, 20, 30});
  const std::vector<float> alphas = {0, 1, 0, 2};
  CHECK(groups_of({alphas, even, even, one, even}) == std::vector<BatchGroup>{{0, 2}, {1, 3}});
}

TEST_CASE("a group is no longer than one launch can count") {
  const std::vector<DeviceMatrix> same(max_groups_beyond_first + 2, {buffer(0), 8, 0});
  const auto groups = groups_of({one, same, same, one, same});
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].size() == max_groups_beyond_first);
  CHECK(groups[1].size() == 2);

  std::vector<DeviceMatrix> by_turns;
  for (const DeviceMatrix& matrix : same) {
    by_turns.push_back(matrix);
    by_turns.push_back({buffer(1), 8, 0});
  }
  const auto four = groups_of({one, by_turns, by_turns, one, by_turns});
  REQUIRE(four.size() == 4);
  CHECK(four[1].size() == max_groups_beyond_first);
  CHECK(four[2] == BatchGroup{2 * max_groups_beyond_first, 2 * max_groups_beyond_first + 2});
  CHECK(four[3] == BatchGroup{2 * max_groups_beyond_first + 1, 2 * max_groups_beyond_first + 3});
}

TEST_CASE("a batch of very different matrices is grouped in little time and memory") {
  std::vector<DeviceMatrix> different;
  for (std::size_t i = 0; i < 200'000; ++i) different.push_back({buffer(0), 8 + i, 0});
  CHECK(groups_of({one, different, different, one, different}).size() == different.size());
}

TEST_CASE("lists of unequal length are refused with their lengths") {
  const auto check = [](std::size_t alphas, std::size_t a, std::size_t b, std::size_t c) {
    const auto matrices = [](std::size_t count) { return std::vector<DeviceMatrix>(count); };
    check_lengths(
        BatchLists{std::vector<float>(alphas), matrices(a), matrices(b), one, matrices(c)}.lengths());
  };
  CHECK_ERROR([&] { check(1, 2, 1, 2); }, invalid_argument, "2 matrices A, 1 matrices B and 2 matrices C");
  CHECK_ERROR([&] { check(1, 1, 1, 0); }, invalid_argument, "1 matrices A, 1 matrices B and 0 matrices C");
  CHECK_ERROR([&] { check(2, 3, 3, 3); }, invalid_argument, "2 alphas for 3 GEMMs");
  CHECK_ERROR([&] { check(0, 3, 3, 3); }, invalid_argument, "0 alphas for 3 GEMMs");
  check(3, 3, 3, 3);
  check(1, 0, 0, 0);
}

TEST_CASE("every matrix of a random list is in exactly one strided batch, at its place") {
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
    const BatchLists lists{one, a, b, one, c};
    std::set<std::size_t> seen;
    for (const BatchGroup& group : groups_of(lists)) {
      auto next = group.begin();
      for (const StridedBatch& strided : clgemm::strided_batches_of(lists, group)) {
        REQUIRE(strided.first == *next);
        REQUIRE(strided.count > 0);
        for (std::size_t i = 0; i < strided.count; ++i, ++next) {
          REQUIRE(seen.insert(*next).second);
          REQUIRE(a[*next].buffer == a[strided.first].buffer);
          REQUIRE(a[*next].offset == a[strided.first].offset + i * strided.stride_a);
          REQUIRE(b[*next].offset == b[strided.first].offset + i * strided.stride_b);
          REQUIRE(c[*next].offset == c[strided.first].offset + i * strided.stride_c);
          REQUIRE(c[*next].buffer == c[strided.first].buffer);
        }
      }
      REQUIRE(next == group.end());
    }
    REQUIRE(seen.size() == count);
  }
}

}  // namespace
}  // namespace clgemm
