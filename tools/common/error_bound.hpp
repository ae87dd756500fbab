// The largest error ratio (float64.hpp) that a result may have, for the bench, the tuner and the tests.
// docs/accuracy.md has the proofs, theorem by theorem. tests/accuracy checks the theorems with bit-accurate
// models of the hardware.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

namespace clgemm::bench {

// How a kernel computes sums of products.
enum class Arithmetic {
  fp32,             // plain, in any order
  tf32x3,           // three TF32 products, sums of 32 of k
  tf32x3_shallow,   // three TF32 products, one sum of at most 64 of k
  tf32x3_mma,       // three TF32 products, sums of 8 of k
  tf32x3_dpas,      // the same on Intel's GPUs
  fp16x3_wgmma,     // three fp16 products, sums of 64 of k
  one_packed,       // the same, but the exponents of one operand are guessed
  fp16x3_mma,       // three fp16 products, sums of 16 of k
  fp16x3_mfma,      // three fp16 products, sums of 32 of k, on AMD's CDNA 3
  fp16x3_wmma,      // the same on AMD's RDNA 3 and 4, and on Intel's GPUs
  bf16x6,           // six bf16 products, sums of 16 of k
  of_other_kernels  // unknown, for a kernel that is not clgemm's
};

// Returns the arithmetic of a clgemm kernel, or of a fallback helper, by its name.
inline Arithmetic arithmetic_of(std::string_view kernel) {
  if (kernel == "tf32x3_wgmma" || kernel == "fallback_tf32x3") return Arithmetic::tf32x3;
  if (kernel == "tf32x3_shallow") return Arithmetic::tf32x3_shallow;
  if (kernel == "tf32x3_mma") return Arithmetic::tf32x3_mma;
  if (kernel == "tf32x3_dpas") return Arithmetic::tf32x3_dpas;
  if (kernel == "fp16x3_wgmma") return Arithmetic::fp16x3_wgmma;
  if (kernel == "fp16x3_one_packed") return Arithmetic::one_packed;
  if (kernel == "fp16x3_mma" || kernel == "fp16x3_mma_k8") return Arithmetic::fp16x3_mma;
  if (kernel == "fp16x3_mfma") return Arithmetic::fp16x3_mfma;
  if (kernel == "fp16x3_wmma" || kernel == "fp16x3_dpas") return Arithmetic::fp16x3_wmma;
  if (kernel == "bf16x6_mma") return Arithmetic::bf16x6;
  return Arithmetic::fp32;
}

// A number other than zero is tiny if it is below this part of the largest number of its row of A or column
// of B. It is also tiny if it is below `least_not_tiny`.
inline constexpr float tiny = 0x1p-26f;
inline constexpr float least_not_tiny = 0x1p-138f;

// The magnitudes of the numbers of a matrix that are not zero. Inf and NaN count as the largest of all.
struct Magnitudes {
  float least = std::numeric_limits<float>::infinity();
  float largest = 0.0f;
};

inline Magnitudes magnitudes_of(std::span<const float> matrix) {
  Magnitudes result;
  for (const float x : matrix) {
    const float magnitude = std::isnan(x) ? std::numeric_limits<float>::infinity() : std::fabs(x);
    result.largest = std::max(result.largest, magnitude);
    if (x != 0.0f) result.least = std::min(result.least, magnitude);
  }
  return result;
}

// Returns false if a TF32 kernel may compute tiles of A B in plain fp32, because numbers or products are too
// small or too large (kernels/common/tf32.cl). k is the number of products in a sum.
inline bool fits_tf32(Arithmetic arithmetic, const Magnitudes& a, const Magnitudes& b, std::size_t k) {
  const double largest_sum = double{a.largest} * double{b.largest} * static_cast<double>(k);
  const double least_product = arithmetic == Arithmetic::tf32x3_dpas ? 0x1p-98 : 0x1p-110;
  return std::min(a.least, b.least) >= 0x1p-104f && double{a.least} * double{b.least} >= least_product &&
         std::max({double{a.largest}, double{b.largest}, largest_sum}) < 0x1p127;
}

// The kind of numbers that a bound applies to.
enum class Numbers {
  any,           // all numbers
  without_tiny,  // no tiny ones
  random         // independent and of random signs, as bench and tests make them
};

// A kernel that is not clgemm's may have twice the bound of plain fp32.
inline constexpr double margin_of_other_kernels = 2.0;

namespace bounds {

// A tensor core addition of several products to a sum. It loses at most `of_term` u of the magnitudes for
// each term that it cuts off, and `of_result` u for cutting off or rounding the result.
struct Addition {
  double of_term;
  double of_result;
};
inline constexpr Addition hopper{0.5, 1.5};
inline constexpr Addition ampere{1.0, 1.0};
inline constexpr Addition cdna3{1.0, 1.0 + 0x1p-6};  // all additions of a sum cut off 8 terms together
inline constexpr Addition unknown{1.0, 2.0};  // RDNA, Intel. Assumption: at worst, each adds one product

inline double ceil_of(std::size_t k, std::size_t step) {
  return static_cast<double>((k + step - 1) / step);
}

// Returns the k that common/fp16_range.cl uses to judge small numbers, for a kernel with steps of `step`
// along k.
inline double range_depth(std::size_t k, std::size_t step, bool may_be_tiny) {
  return may_be_tiny ? std::clamp(static_cast<double>((k + step - 1) / step * step), 64.0, 4096.0) : 64.0;
}

// Returns the loss from splitting and from the products that are left out.
inline double fp16_splitting(double range) {
  return 8.0 + 3.0 * (range - 64.0) / 32.0;
}

// Returns the factor by which terms are cut off further if the largest factor is denormal in fp16.
inline double of_denormals(double range) {
  return std::max(1.0, range / 128.0);
}

inline double tf32x3(std::size_t k) {
  const std::size_t together = std::min<std::size_t>(k, 32);
  const double high =
      hopper.of_term * static_cast<double>(together) + hopper.of_result * ceil_of(together, 8);
  return 8.0 + high + 0.1 + 3.0 * static_cast<double>(k) / 64.0;
}

// For more than 64 of k, the kernel computes in plain fp32.
inline double tf32x3_shallow(std::size_t k) {
  if (k > 64) return static_cast<double>(k);
  return 8.0 + hopper.of_term * static_cast<double>(k) + hopper.of_result * ceil_of(k, 8) + 0.1;
}

inline double tf32x3_mma(std::size_t k) {
  const std::size_t together = std::min<std::size_t>(k, 8);
  const double high =
      ampere.of_term * static_cast<double>(together) + ampere.of_result * ceil_of(together, 4);
  return 8.0 + high + 0.1 + ceil_of(k, 8) - 1.0 + static_cast<double>(k) / 64.0;
}

inline double tf32x3_dpas(std::size_t k) {
  const double together = static_cast<double>(std::min<std::size_t>(k, 8));
  const double high = (2.0 * unknown.of_term + unknown.of_result) * together;  // a product and the sum so far
  return 8.0 + high + 0.3 + ceil_of(k, 8) - 1.0 + static_cast<double>(k) / 64.0;
}

inline double fp16x3_wgmma(std::size_t k, bool may_be_tiny) {
  const double range = range_depth(k, 32, may_be_tiny);
  const std::size_t together = std::min<std::size_t>(k, 64);
  const double high = hopper.of_term * of_denormals(range) * static_cast<double>(together - 1) +
                      hopper.of_result * ceil_of(together, 16);
  const double cross = 2.5 * static_cast<double>(k) * std::max(128.0, range) * 0x1p-18;
  return fp16_splitting(range) + high + cross + ceil_of(k, 64) + 1.0;
}

// A guess that is too large makes numbers tiny. Then either they are not too small for fp16x3_wgmma, or the
// sum is so large that they do not matter (common/fp16_range.cl), or it is computed again in 32 chains of
// plain fp32. Truly tiny numbers, Inf and NaN may need plain fp32 in one chain.
inline double fp16x3_one_packed(std::size_t k) {
  return fp16x3_wgmma(k, true) + range_depth(k, 32, true) / 256.0;
}

inline double fp16x3_mma(std::size_t k, bool may_be_tiny) {
  const double range = range_depth(k, 16, may_be_tiny);
  const double high = ampere.of_term * of_denormals(range) * 16.0 + 2.0 * ampere.of_result;
  return fp16_splitting(range) + high + 36.0 * std::max(128.0, range) * 0x1p-17 + ceil_of(k, 16) - 1.0;
}

inline double fp16x3_mfma(std::size_t k, bool may_be_tiny) {
  const double range = range_depth(k, 32, may_be_tiny);
  const double high = cdna3.of_term * of_denormals(range) * 8.0 + 4.0 * cdna3.of_result;
  return fp16_splitting(range) + high + 17.0 * std::max(128.0, range) * 0x1p-17 + ceil_of(k, 32) - 1.0;
}

inline double fp16x3_wmma(std::size_t k, bool may_be_tiny) {
  constexpr double of_product = 2.0 * unknown.of_term;  // the product and the sum so far
  const double range = range_depth(k, 32, may_be_tiny);
  const double high = 32.0 * (of_product * of_denormals(range) + unknown.of_result);
  const double cross = 64.0 * (of_product + unknown.of_result) * std::max(128.0, range) * 0x1p-17;
  return fp16_splitting(range) + high + cross + ceil_of(k, 32) - 1.0;
}

inline double bf16x6(std::size_t k) {
  return 20.6 + ceil_of(k, 16) - 1.0;
}

}  // namespace bounds

// Returns the theorem's bound for sums of k products. Scaling by alpha and adding beta C add 2 more with any
// method.
inline double proven_bound(Arithmetic arithmetic, std::size_t k, bool may_be_tiny) {
  constexpr double of_epilogue = 2.0;
  constexpr double of_higher_order = 1.0 + 0x1p-8;  // (1 + u)^k, and |h| beside |x|; up to 2^16 products
  if (k == 0) return of_epilogue;
  const double plain = static_cast<double>(k) + of_epilogue;
  switch (arithmetic) {
    case Arithmetic::fp32:
      return of_higher_order * plain;
    case Arithmetic::tf32x3:
      return of_higher_order * (bounds::tf32x3(k) + of_epilogue);
    case Arithmetic::tf32x3_shallow:
      return of_higher_order * (bounds::tf32x3_shallow(k) + of_epilogue);
    case Arithmetic::tf32x3_mma:
      return of_higher_order * (bounds::tf32x3_mma(k) + of_epilogue);
    case Arithmetic::tf32x3_dpas:
      return of_higher_order * (bounds::tf32x3_dpas(k) + of_epilogue);
    case Arithmetic::fp16x3_wgmma:
      return of_higher_order * (bounds::fp16x3_wgmma(k, may_be_tiny) + of_epilogue);
    case Arithmetic::one_packed:
      return of_higher_order *
             std::max(bounds::fp16x3_one_packed(k) + of_epilogue, may_be_tiny ? plain : 0.0);
    case Arithmetic::fp16x3_mma:
      return of_higher_order * (bounds::fp16x3_mma(k, may_be_tiny) + of_epilogue);
    case Arithmetic::fp16x3_mfma:
      return of_higher_order * (bounds::fp16x3_mfma(k, may_be_tiny) + of_epilogue);
    case Arithmetic::fp16x3_wmma:
      return of_higher_order * (bounds::fp16x3_wmma(k, may_be_tiny) + of_epilogue);
    case Arithmetic::bf16x6:
      return of_higher_order * (bounds::bf16x6(k) + of_epilogue);
    case Arithmetic::of_other_kernels:
      return margin_of_other_kernels * of_higher_order * plain;
  }
  return plain;
}

// Returns the bound for random numbers. Rounding errors of k random signs add up to sqrt(k). Twice that, and
// 8 for short sums, leaves room for any order of the additions. A theorem's bound grows with k, so it would
// pass a kernel that drops one of some thousand products.
inline double bound_of_random(std::size_t k) {
  return 8.0 + 2.0 * std::sqrt(static_cast<double>(k));
}

inline double error_bound(Arithmetic arithmetic, std::size_t k, Numbers numbers) {
  const double proven = proven_bound(arithmetic, k, numbers != Numbers::without_tiny);
  return numbers == Numbers::random ? std::min(proven, bound_of_random(k)) : proven;
}

// Returns the bound of a result if fits_tf32() is false for its matrices.
inline double error_bound_beyond_tf32(Arithmetic arithmetic, std::size_t k, Numbers numbers) {
  const double bound = error_bound(arithmetic, k, numbers);
  if (arithmetic != Arithmetic::tf32x3 && arithmetic != Arithmetic::tf32x3_shallow &&
      arithmetic != Arithmetic::tf32x3_mma && arithmetic != Arithmetic::tf32x3_dpas)
    return bound;
  return std::max(bound, error_bound(Arithmetic::fp32, k, numbers));
}

}  // namespace clgemm::bench
