// A kernel that reads one operand in the caller's memory and the other one in fp16 planes. A simple kernel
// (data/kernels/from_one_packed.cl) shows that it gets both as the plan says, and that only the numbers of
// the packed operand decide about the fallback.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "kernel/manifest.hpp"
#include "support/catch.hpp"
#include "support/on_device.hpp"
#include "support/planes.hpp"
#include "support/reference.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Without `swap`, A is in place and B is packed.
Options from_one(bool swap, std::int64_t mark = 0, std::int64_t slices = 1) {
  Options options;
  options.kernel_file = CLGEMM_TEST_KERNELS "/from_one_packed.cl";
  options.parameters = {{"SWAP", swap ? 1 : 0}, {"MARK", mark}, {split_parameter, slices}};
  return options;
}

// Returns the data with a special number in the operand that is packed, or in the one in place. A
// column-major GEMM is computed as C^T = op(B)^T op(A)^T, so its kernel finds the caller's B as A.
Data with_special_in(bool packed, bool swap, const GemmCase& gemm, float value) {
  const bool kernels_a = packed == swap;
  const bool is_a = kernels_a == (gemm.form.layout == Layout::row_major);
  return with_special(gemm, is_a ? Special{value, 0} : Special{0, value});
}

bool is_done_on_planes(const GemmCase& gemm, const Data& data, bool swap) {
  return all_are(gemm, run_on_device(gemm, data, from_one(swap, 1)), 42.0f);
}

// No k but one is a multiple of the 32 by which packing pads it.
const Shape shapes[] = {{33, 35, 40}, {70, 130, 97}, {1, 67, 31}, {129, 3, 64}, {5, 7, 1}, {65, 64, 257}};

TEST_CASE("one operand in place: every shape, form, alpha and beta, placement and number of slices") {
  std::uint32_t seed = 0;
  for (const bool swap : {false, true}) {
    for (const Shape& shape : shapes) {
      for (const Form& form : all_forms()) {
        const Placement& placement = all_placements()[++seed % all_placements().size()];
        const Scalars& scalars = all_scalars()[seed % all_scalars().size()];
        const GemmCase gemm = make_gemm_case(form, shape, scalars, placement);
        const auto slices = static_cast<std::int64_t>(1 + seed % 5);
        INFO("swap " << swap << ", " << slices << " slices: " << describe(gemm));
        check_on_device(gemm, random_data(gemm, seed), from_one(swap, 0, slices));
      }
    }
  }
}

TEST_CASE("one operand in place: the slices of k are added up, and the fallback does the work in one piece") {
  for (const bool swap : {false, true}) {
    const GemmCase gemm = make_gemm_case(all_forms()[1], {37, 70, 2001}, {1, 0}, all_placements()[1]);
    INFO("swap " << swap);
    CHECK(all_are(gemm, run_on_device(gemm, random_data(gemm, 3), from_one(swap, 1, 7)), 7 * 42.0f));
    const Data special = with_special_in(true, swap, gemm, 0x1p-60f);
    check_on_device(gemm, special, from_one(swap, 1, 7));
    // The words that count the slices are zero again.
    CHECK(all_are(gemm, run_on_device(gemm, random_data(gemm, 3), from_one(swap, 1, 7)), 7 * 42.0f));
  }
}

// Up to k = 64, a line may have nothing below 2^-13 if its largest is from 2^15 to 2^16.
TEST_CASE("one operand in place: the numbers of the packed operand alone decide about the fallback") {
  Options plain;
  plain.kernel = "coalesced";
  for (const bool swap : {false, true}) {
    for (const Form& form : all_forms()) {
      const GemmCase gemm = make_gemm_case(form, {67, 135, 41}, {1, 0}, all_placements()[1]);
      INFO("swap " << swap << ": " << describe(gemm));
      for (const float value : {0.0f, 0x1p-27f, 1024.0f})
        CHECK(is_done_on_planes(gemm, with_special_in(true, swap, gemm, value), swap));
      for (const float value : {0x1p-30f, -0x1p-60f, 1e-45f, 0x1p40f, infinity, -infinity, nan}) {
        INFO(value);
        const Data of_packed = with_special_in(true, swap, gemm, value);
        const std::vector<float> c = run_on_device(gemm, of_packed, from_one(swap, 1));
        CHECK_FALSE(all_are(gemm, c, 42.0f));
        CHECK(different_kinds(c, run_on_device(gemm, of_packed, plain)) == 0);
        if (std::isfinite(value)) check_result(gemm, of_packed, c);
        const Data in_place = with_special_in(false, swap, gemm, value);
        CHECK(is_done_on_planes(gemm, in_place, swap));
        const std::vector<float> right = run_on_device(gemm, in_place, from_one(swap));
        CHECK(different_kinds(right, run_on_device(gemm, in_place, plain)) == 0);
        if (std::isfinite(value)) check_result(gemm, in_place, right);
      }
    }
  }
}

// The kernel decides by the notes of the packing.
TEST_CASE("one operand in place: the smallest number that planes can hold depends on the true k") {
  // k, and the value that decides the limit: at least 64 and at most 4096.
  const std::map<std::size_t, float> depths = {{40, 64.0f}, {65, 65.0f}, {95, 95.0f}, {6000, 4096.0f}};
  for (const bool swap : {false, true}) {
    for (const auto& [k, depth] : depths) {
      const GemmCase gemm = make_gemm_case(all_forms()[0], {16, 16, k}, {1, 0}, all_placements()[0]);
      const float room = k > 1024 ? 2.0f : 1.0f;
      Data data = random_data(gemm, 8);
      std::vector<float>& packed = swap ? data.a : data.b;
      for (float& value : packed) value = 1.0f + 0.8f * std::fabs(value);
      for (const float above : {1.01f, 0.99f}) {
        packed[0] = above * room * 0x1p-22f / depth;
        INFO("swap " << swap << ", " << k << ", " << above);
        CHECK(is_done_on_planes(gemm, data, swap) == (above > 1.0f));
        check_result(gemm, data, run_on_device(gemm, data, from_one(swap)));
      }
    }
  }
}

// If both operands are packed, packing stops at such a number.
TEST_CASE("one operand in place: the other one is packed to its end, even if its numbers are too small") {
  for (const bool swap : {false, true}) {
    for (const std::size_t k : {std::size_t{41}, std::size_t{3000}}) {
      const GemmCase gemm = make_gemm_case(all_forms()[1], {67, 135, k}, {1, 0}, all_placements()[1]);
      const Data data = with_special_in(true, swap, gemm, 0x1p-60f);
      INFO(swap << ": " << describe(gemm));
      Options options = from_one(swap);
      options.parameters["TINY"] = 1;
      check_result(gemm, data, run_on_device(gemm, data, options));
      options.parameters["MARK"] = 1;
      CHECK(all_are(gemm, run_on_device(gemm, data, options), 42.0f));
    }
  }
}

// The smallest number of such a line is no reason to fall back.
TEST_CASE("one operand in place: Inf in a line of zeros goes to the fallback if it is packed") {
  Options plain;
  plain.kernel = "coalesced";
  const GemmCase gemm = make_gemm_case(all_forms()[0], {67, 135, 41}, {1, 0}, all_placements()[1]);
  for (const bool swap : {false, true}) {
    for (const bool in_a : {false, true}) {
      for (const float value : {infinity, nan}) {
        Data data = random_data(gemm, 8);
        for (std::size_t depth = 0; depth < 41; ++depth) {
          (in_a ? data.a[gemm.a.index(5, depth)] : data.b[gemm.b.index(depth, 5)]) =
              depth == 7 ? value : 0.0f;
        }
        INFO("swap " << swap << ", " << value << " in " << (in_a ? "A" : "B"));
        const std::vector<float> right = run_on_device(gemm, data, plain);
        CHECK(different_kinds(run_on_device(gemm, data, from_one(swap)), right) == 0);
        CHECK(is_done_on_planes(gemm, data, swap) == (in_a != swap));
      }
    }
  }
}

TEST_CASE("one operand in place: the fallback uses the old C once") {
  for (const bool swap : {false, true}) {
    for (const Scalars& scalars : all_scalars()) {
      const GemmCase gemm = make_gemm_case(all_forms()[2], {67, 135, 41}, scalars, all_placements()[1]);
      INFO("swap " << swap << ": " << describe(gemm));
      check_on_device(gemm, with_special_in(true, swap, gemm, 0x1p-60f), from_one(swap, 1));
    }
  }
}

TEST_CASE("one operand in place: a block has its own part of the operand, and decides by its own numbers") {
  for (const bool swap : {false, true}) {
    for (const Form& form : all_forms()) {
      const GemmCase gemm = make_gemm_case(form, {130, 140, 203}, {-1.5f, 1}, all_placements()[1]);
      INFO("swap " << swap << ": " << describe(gemm));
      Options options = from_one(swap);
      options.scratch_limit = 64 * 64 * 4 + 1024;
      SgemmShape shape{form.layout,  form.transpose_a, form.transpose_b, gemm.shape.m, gemm.shape.n,
                       gemm.shape.k, gemm.a.ld,        gemm.b.ld,        gemm.c.ld};
      CHECK_FALSE(contains(shared_context().explain(shape, options), "blocks: 1 of"));
      check_on_device(gemm, random_data(gemm, 5), options);
      check_on_device(gemm, with_special_in(true, swap, gemm, 0x1p-60f), options);
    }
  }
}

// The matrices of a batch, without gaps. A or B may be one for all.
struct Batch {
  std::size_t m, n, k, count;
  bool one_a, one_b;

  std::size_t a_stride() const { return one_a ? 0 : m * k; }
  std::size_t b_stride() const { return one_b ? 0 : k * n; }
};

std::vector<float> run(const Batch& batch, const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& c, float beta, const Options& options) {
  const auto& [m, n, k, count, one_a, one_b] = batch;
  const cl::Buffer a_buffer = make_buffer(a);
  const cl::Buffer b_buffer = make_buffer(b);
  const cl::Buffer c_buffer = make_buffer(c);
  shared_context().sgemm_strided_batched(shared_queue()(), Layout::row_major, Transpose::no, Transpose::no, m,
                                         n, k, 1.0f, {a_buffer(), k}, batch.a_stride(), {b_buffer(), n},
                                         batch.b_stride(), beta, {c_buffer(), n}, m * n, count, {}, nullptr,
                                         options);
  return read_buffer(c_buffer);
}

// Returns whether every element of a matrix of the batch is as near to the exact result as plain fp32 is.
bool is_right(const Batch& batch, std::size_t matrix, const std::vector<float>& a,
              const std::vector<float>& b, const std::vector<float>& before, float beta,
              const std::vector<float>& c) {
  for (std::size_t row = 0; row < batch.m; ++row) {
    for (std::size_t column = 0; column < batch.n; ++column) {
      const std::size_t place = (matrix * batch.m + row) * batch.n + column;
      double exact = double{beta} * before[place];
      double magnitude = std::fabs(exact);
      for (std::size_t depth = 0; depth < batch.k; ++depth) {
        const double product = double{a[matrix * batch.a_stride() + row * batch.k + depth]} *
                               b[matrix * batch.b_stride() + depth * batch.n + column];
        exact += product;
        magnitude += std::fabs(product);
      }
      if (!(std::fabs(c[place] - exact) <= 0x1p-20 * magnitude)) return false;
    }
  }
  return true;
}

TEST_CASE("one operand in place: each matrix of a batch is found, and has its own fallback") {
  constexpr std::size_t bad = 2;  // the matrix with a number that planes cannot hold
  for (const bool swap : {false, true}) {
    for (const auto& [one_a, one_b] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
      const Batch batch{35, 67, 41, 4, one_a, one_b};
      std::vector<float> a = random_elements(batch.count * batch.m * batch.k, 1);
      std::vector<float> b = random_elements(batch.count * batch.k * batch.n, 2);
      const std::vector<float> c = random_elements(batch.count * batch.m * batch.n, 3);
      const auto check = [&](const std::vector<float>& result, float beta) {
        for (std::size_t i = 0; i < batch.count; ++i) {
          INFO(fmt::format("swap {}, one A {}, one B {}: matrix {}", swap, one_a, one_b, i));
          CHECK(is_right(batch, i, a, b, c, beta, result));
        }
      };
      check(run(batch, a, b, c, -1.5f, from_one(swap)), -1.5f);
      const bool shared = swap ? one_a : one_b;
      const std::size_t from = shared ? 0 : bad;
      (swap ? a[from * batch.a_stride() + 5] : b[from * batch.b_stride() + 5]) = 0x1p-60f;
      check(run(batch, a, b, c, -1.5f, from_one(swap)), -1.5f);
      const std::vector<float> marked = run(batch, a, b, c, 0.0f, from_one(swap, 1));
      for (std::size_t i = 0; i < batch.count; ++i) {
        INFO(fmt::format("swap {}, one A {}, one B {}: matrix {}", swap, one_a, one_b, i));
        CHECK((marked[i * batch.m * batch.n] == 42.0f) == (!shared && i != bad));
      }
    }
  }
}

TEST_CASE("explain() says which operand is packed") {
  SgemmShape shape;
  shape.m = shape.n = shape.k = 100;
  for (const bool swap : {false, true}) {
    const std::string text = shared_context().explain(shape, from_one(swap));
    INFO(text);
    CHECK(contains(text, swap ? "op(A): packed by pack_both_fp16_planes\nop(B): used in place\n"
                              : "op(A): used in place\nop(B): packed by pack_both_fp16_planes\n"));
    CHECK(contains(text, "fallback: fallback_fp32"));
  }
}

}  // namespace
}  // namespace clgemm
