// Decides whether products of fp16 planes stand for the fp32 product. Each work-group of the packing left a
// note about its part of an operand: the largest magnitude before scaling, and the complement of the smallest
// nonzero magnitude, scaled like its line (common/fp16_planes.cl). docs/accuracy.md has the derivation.
//
// The planes are not exact if an element is Inf or NaN, because Inf times a zero plane is NaN. They are not
// exact if a sum of k products may overflow, because the order of the additions would then decide which Inf
// or NaN results.
//
// They are not exact either if a number is so far below its line's largest that the planes lose too much of
// it. The smallest step of fp16 is 2^-24, so a scaled x in two planes has an error of up to max(2 u |x|,
// 2^-36), with u = 2^-24. Plain fp32 rounds once for each of k products, so with many products an error of k
// / 32 u |x| is acceptable. If the line's largest number scales to 2^15, the smallest may be 2^-28 of it with
// k = 64, and 2^-34 with k = 4096 or more. Two numbers that are both denormal in fp16 have a limit of their
// own, because tensor cores align their product by the least exponents.
#include "common/notes.cl"

#define ONE_BITS 0x3f800000u
#define MOST_SUM 0x1p126f
#define LEAST_DEPTH 64               // 2 u is k / 32 u for this k
#define MOST_DEPTH 4096              // the limits stay the same for a larger k
#define LEAST_TIMES_DEPTH 0x1p-7f    // 2^-36 / (u / 32)
#define LEASTS_TIMES_DEPTH 0x1p-20f  // for the smallest of both operands

// Returns the smallest magnitude that was noted. 1 stands for all larger magnitudes, and for none.
static inline float smallest_noted(const uint complement) {
  return as_float(min(~complement, ONE_BITS));
}

// Returns true if the smallest number is too small for any partner. `complement` is as noted; `k` is the
// depth that the kernel walks.
static inline bool is_too_small(const uint complement, const int k) {
  return smallest_noted(complement) * clamp(k, LEAST_DEPTH, MOST_DEPTH) < LEAST_TIMES_DEPTH;
}

// Returns the least magnitude of a scaled sum of `depth` of the k products for which the planes are exact
// although numbers are too small. Each number is then off by 2^-36, so a product is off by at most 2^-20 for
// each of its two numbers. It is also off by 2^-21 because l l' is left out, and by 2^-22 because tensor
// cores align denormal numbers to a larger exponent. So the sum is off by less than depth 2^-18, which is
// k / 256 u of it.
static inline float least_exact_sum(const int depth, const int k) {
  return 0x1p14f * depth / clamp(k, LEAST_DEPTH, MOST_DEPTH);
}

static inline bool planes_are_exact(const __local Extremes* extremes, const int k) {
  const float depth = clamp(k, LEAST_DEPTH, MOST_DEPTH);
  const float a_smallest = smallest_noted(extremes->a_smallest);
  const float b_smallest = smallest_noted(extremes->b_smallest);
  // false with Inf or NaN, too
  return as_float(extremes->a_largest) * as_float(extremes->b_largest) * k < MOST_SUM &&
         !is_too_small(extremes->a_smallest, k) && !is_too_small(extremes->b_smallest, k) &&
         a_smallest * b_smallest * depth >= LEASTS_TIMES_DEPTH;
}
