// Validation in the caller's terms, and the canonical problem.
#include "call/problem.hpp"

#include <cstdint>
#include <limits>

#include "support/thrown.hpp"

namespace clgemm {
namespace {

constexpr std::size_t minus_five = static_cast<std::size_t>(-5);

// Returns 3 x 5 times 5 x 7, row-major, without gaps.
SgemmCall good_call() {
  SgemmCall call;
  call.m = 3;
  call.n = 7;
  call.k = 5;
  call.lda = 5;
  call.ldb = 7;
  call.ldc = 7;
  return call;
}

// Returns `good_call()` with the least leading dimensions for this layout and these transposes.
SgemmCall call_of(Layout layout, Transpose transpose_a, Transpose transpose_b) {
  SgemmCall call = good_call();
  call.layout = layout;
  call.transpose_a = transpose_a;
  call.transpose_b = transpose_b;
  const bool row_major = layout == Layout::row_major;
  call.lda = row_major == (transpose_a == Transpose::no) ? call.k : call.m;
  call.ldb = row_major == (transpose_b == Transpose::no) ? call.n : call.k;
  call.ldc = row_major ? call.n : call.m;
  return call;
}

TEST_CASE("the smallest leading dimension is allowed in all forms, and one less is not") {
  for (const Layout layout : {Layout::row_major, Layout::column_major}) {
    for (const Transpose transpose_a : {Transpose::no, Transpose::yes}) {
      for (const Transpose transpose_b : {Transpose::no, Transpose::yes}) {
        const SgemmCall call = call_of(layout, transpose_a, transpose_b);
        const Extents extents = check_call(call);
        CHECK(extents.a == 15);
        CHECK(extents.b == 35);
        CHECK(extents.c == 21);
        for (const auto ld : {&SgemmCall::lda, &SgemmCall::ldb, &SgemmCall::ldc}) {
          SgemmCall bad = call;
          bad.*ld -= 1;
          CHECK_ERROR([&] { check_call(bad); }, invalid_leading_dimension, "must be at least");
        }
      }
    }
  }
}

TEST_CASE("the error names a bad leading dimension, and the smallest correct value") {
  SgemmCall call = good_call();
  call.lda = 4;
  CHECK_ERROR([&] { check_call(call); }, invalid_leading_dimension,
              "lda is 4, but a row of A in memory has 5 elements (k); lda must be at least 5");
  call = good_call();
  call.ldb = 0;
  CHECK_ERROR([&] { check_call(call); }, invalid_leading_dimension, "ldb is 0");
  call = call_of(Layout::column_major, Transpose::no, Transpose::no);
  call.ldc = minus_five;
  CHECK_ERROR([&] { check_call(call); }, invalid_leading_dimension,
              "ldc is -5, but a column of C in memory has 3 elements (m)");
}

TEST_CASE("a leading dimension of zero is refused for empty matrices too") {
  SgemmCall call = good_call();
  call.m = call.n = call.k = 0;
  CHECK_NOTHROW(check_call(call));
  call.ldc = 0;
  CHECK_ERROR([&] { check_call(call); }, invalid_leading_dimension, "ldc must be at least 1");
}

TEST_CASE("the error names a negative size") {
  for (const auto& [size, text] :
       {std::pair{&SgemmCall::m, "m is -5"}, {&SgemmCall::n, "n is -5"}, {&SgemmCall::k, "k is -5"}}) {
    SgemmCall call = good_call();
    call.*size = minus_five;
    CHECK_ERROR([&] { check_call(call); }, invalid_argument, text);
  }
}

TEST_CASE("the error names an invalid enumerator") {
  SgemmCall call = good_call();
  call.layout = static_cast<Layout>(101);
  CHECK_ERROR([&] { check_call(call); }, invalid_argument, "layout");
  call = good_call();
  call.transpose_a = static_cast<Transpose>(111);
  CHECK_ERROR([&] { check_call(call); }, invalid_argument, "transpose_a");
  call = good_call();
  call.transpose_b = static_cast<Transpose>(111);
  CHECK_ERROR([&] { check_call(call); }, invalid_argument, "transpose_b");
}

TEST_CASE("extents include the gaps between rows, but not after the last row") {
  SgemmCall call = good_call();
  call.lda = 10;
  call.ldb = 100;
  call.ldc = 8;
  const Extents extents = check_call(call);
  CHECK(extents.a == 2 * 10 + 5);
  CHECK(extents.b == 4 * 100 + 7);
  CHECK(extents.c == 2 * 8 + 7);
}

TEST_CASE("extents of empty matrices are 0") {
  SgemmCall call = good_call();
  call.k = 0;
  CHECK(check_call(call).a == 0);
  CHECK(check_call(call).b == 0);
  CHECK(check_call(call).c == 21);
  call.m = 0;
  CHECK(check_call(call).c == 0);
}

TEST_CASE("sizes beyond 32 bits are allowed, and sizes beyond 64 bits are refused by name") {
  SgemmCall call = good_call();
  call.m = std::size_t{1} << 33;
  call.ldc = std::size_t{1} << 20;
  CHECK(check_call(call).c == ((std::size_t{1} << 33) - 1) * call.ldc + 7);
  call.ldc = std::size_t{1} << 30;  // 2^63 elements, 2^65 bytes
  CHECK_ERROR([&] { check_call(call); }, invalid_argument, "C is too large");
  call.ldc = 7;
  call.lda = std::size_t{1} << 60;
  CHECK_ERROR([&] { check_call(call); }, invalid_argument, "A is too large");
}

TEST_CASE("A and B are read only if they affect the result") {
  SgemmCall call = good_call();
  CHECK(reads_a_and_b(call));
  for (const auto size : {&SgemmCall::m, &SgemmCall::n, &SgemmCall::k}) {
    SgemmCall empty = call;
    empty.*size = 0;
    CHECK_FALSE(reads_a_and_b(empty));
  }
  call.alpha = -0.0f;
  CHECK_FALSE(reads_a_and_b(call));
  call.alpha = std::numeric_limits<float>::quiet_NaN();
  CHECK(reads_a_and_b(call));
}

TEST_CASE("a row-major problem is unchanged") {
  SgemmCall call = call_of(Layout::row_major, Transpose::yes, Transpose::no);
  call.alpha = 2;
  call.beta = 3;
  const Problem problem = canonical(call);
  CHECK(problem.m == 3);
  CHECK(problem.n == 7);
  CHECK(problem.k == 5);
  CHECK(problem.alpha == 2);
  CHECK(problem.beta == 3);
  CHECK(problem.a.transposed);
  CHECK_FALSE(problem.b.transposed);
  CHECK(problem.a.ld == call.lda);
  CHECK(problem.b.ld == call.ldb);
  CHECK(problem.c.ld == call.ldc);
}

TEST_CASE("a vector without gaps is one line of k elements for kernels, however the caller describes it") {
  const auto seen_b = [](const Operand& b, std::size_t n = 1, std::size_t k = 5) {
    return with_vectors_as_lines({{4, n, k}, 1.0f, 0.0f, {false, 5}, b, {false, 1}}).b;
  };
  const Operand one_line{true, 5};
  CHECK(seen_b({false, 1}) == one_line);
  CHECK(seen_b({true, 5}) == one_line);
  CHECK(seen_b({true, 9}) == one_line);  // there is no second line
  CHECK(seen_b({false, 1, 3, 11, 4}) == Operand{true, 5, 3, 11, 4});
  CHECK(seen_b({false, 2}) == Operand{false, 2});
  CHECK(seen_b({true, 9}, 2) == Operand{true, 9});
  CHECK(seen_b({false, 1}, 1, 0) == Operand{true, 1});
  const auto seen_a = [](const Operand& a, std::size_t m = 1) {
    return with_vectors_as_lines({{m, 4, 5}, 1.0f, 0.0f, a, {false, 4}, {false, 4}}).a;
  };
  CHECK(seen_a({true, 1}) == Operand{false, 5});
  CHECK(seen_a({false, 7}) == Operand{false, 5});
  CHECK(seen_a({true, 3}) == Operand{true, 3});
  CHECK(seen_a({true, 2}, 2) == Operand{true, 2});
}

TEST_CASE("a batch of one is the same problem with any strides, but a batch of two is not") {
  SgemmCall call = call_of(Layout::row_major, Transpose::no, Transpose::no);
  const Problem plain = canonical(call);
  call.stride_a = call.stride_b = call.stride_c = 1000;
  CHECK(canonical(call) == plain);
  call.batch_count = 2;
  const Problem two = canonical(call);
  CHECK(two.a.stride == 1000);
  CHECK(two.b.stride == 1000);
  CHECK(two.c.stride == 1000);
}

TEST_CASE("column-major exchanges A and B, m and n, and keeps the transposes") {
  const SgemmCall call = call_of(Layout::column_major, Transpose::yes, Transpose::no);
  const Problem problem = canonical(call);
  CHECK(problem.m == 7);
  CHECK(problem.n == 3);
  CHECK(problem.k == 5);
  CHECK_FALSE(problem.a.transposed);
  CHECK(problem.b.transposed);
  CHECK(problem.a.ld == call.ldb);
  CHECK(problem.b.ld == call.lda);
  CHECK(problem.c.ld == call.ldc);
  CHECK_FALSE(problem.c.transposed);
}

}  // namespace
}  // namespace clgemm
