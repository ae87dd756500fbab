// The calls for a batch of matrices at any offsets: one call with a list, or one for each run at a constant
// distance.
#include "context/context.hpp"
#include "support/on_device.hpp"

namespace clgemm {
namespace {

using namespace test;

constexpr std::size_t side = 4;
constexpr std::size_t size = side * side;

struct Matrices {
  cl::Buffer buffer = make_buffer(std::vector<float>(100 * size));

  // Returns a matrix at each of these positions, counted in matrices.
  std::vector<DeviceMatrix> at(const std::vector<std::size_t>& places) const {
    std::vector<DeviceMatrix> result;
    for (const std::size_t place : places) result.push_back({buffer(), side, place * size});
    return result;
  }
};

struct Calls {
  const std::vector<float> one = {1.0f};
  Matrices a, b, c;

  std::vector<DeviceGemm> of(const std::vector<std::size_t>& places, const std::vector<float>& alphas,
                             const Options& options = {}) const {
    SgemmCall call;
    call.m = call.n = call.k = side;
    return state_of(shared_context())
        .check_batch(call, {alphas, a.at(places), b.at(places), one, c.at(places)}, options);
  }
};

TEST_CASE(
    "many small matrices at irregular places are computed in one launch, with a list of their offsets and "
    "factors") {
  const Calls calls;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < 13; ++i) places.push_back(i * i % 97);
  std::vector<float> alphas(places.size(), 1.0f);
  alphas[5] = 3.0f;
  const auto checked = calls.of(places, alphas);
  REQUIRE(checked.size() == 1);
  CHECK(checked[0].problem.listed);
  CHECK(checked[0].problem.batch_count == places.size());
  CHECK(checked[0].problem.a.stride == size);  // all offsets are multiples of this
  REQUIRE(checked[0].products.size() == places.size());
  CHECK(checked[0].products[5].a == places[5] * size);
  CHECK(checked[0].products[5].alpha == 3.0f);
}

TEST_CASE("matrices at a constant distance need no list") {
  const Calls calls;
  const auto checked = calls.of({3, 5, 7, 9}, calls.one);
  REQUIRE(checked.size() == 1);
  CHECK_FALSE(checked[0].problem.listed);
  CHECK(checked[0].problem.batch_count == 4);
}

TEST_CASE("no list is made if A and B are not read") {
  const Calls calls;
  const auto checked = calls.of({0, 1, 5, 9}, {0.0f});
  REQUIRE(checked.size() == 2);
  CHECK_FALSE(checked[0].problem.listed);
}

TEST_CASE("a named kernel that takes no lists computes the strided batches") {
  const Calls calls;
  Options options;
  options.kernel = "tiled";
  CHECK(calls.of({0, 1, 5, 9}, calls.one, options).size() == 2);
  options.kernel = "coalesced";
  CHECK(calls.of({0, 1, 5, 9}, calls.one, options).size() == 1);
}

}  // namespace
}  // namespace clgemm
