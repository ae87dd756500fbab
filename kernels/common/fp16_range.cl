// Whether products of fp16 planes stand for the fp32 product, by what each work-group of the packing noted of its part of
// an operand: the largest magnitude as it was, and the complement of the smallest that is not zero, scaled as its line is
// (common/fp16_planes.cl). docs/accuracy.md has the derivation.
//
// They do not if there is an Inf or a NaN (Inf times a plane that is 0 is a NaN), nor if a sum of k products may overflow,
// because which Inf or NaN comes of it depends on the order of adding. And they do not if a number is so far below its line's
// largest that planes lose too much of it: fp16 ends at 2^-24, so a scaled x, planes together, is off by max(2 u |x|, 2^-36),
// u = 2^-24. Plain fp32 rounds once for each of k products, so with many products a number may be off by k / 32 u |x|: if its
// line's largest comes to 2^15, the smallest may be 2^-28 of it with k = 64, and 2^-34 with k = 4096 or more. Two numbers that
// are both denormal in fp16 have a limit of their own, because tensor cores align their product by the least exponents.
#include "common/notes.cl"

#define ONE_BITS 0x3f800000u
#define MOST_SUM 0x1p126f
#define LEAST_DEPTH 64               // for which 2 u is k / 32 u
#define MOST_DEPTH 4096              // from which on the limits stay
#define LEAST_TIMES_DEPTH 0x1p-7f    // 2^-36 / (u / 32)
#define LEASTS_TIMES_DEPTH 0x1p-20f  // of both operands

// The smallest that was noted; 1 stands for all larger ones, and for none.
static inline float smallest_noted(const uint complement) {
  return as_float(min(~complement, ONE_BITS));
}

// Whether the smallest number, by the complement that was noted, is too small for any partner. `k` as the multiply walks it.
static inline bool is_too_small(const uint complement, const int k) {
  return smallest_noted(complement) * clamp(k, LEAST_DEPTH, MOST_DEPTH) < LEAST_TIMES_DEPTH;
}

static inline bool planes_are_exact(const __local Extremes* extremes, const int k) {
  const float depth = clamp(k, LEAST_DEPTH, MOST_DEPTH);
  const float a_smallest = smallest_noted(extremes->a_smallest);
  const float b_smallest = smallest_noted(extremes->b_smallest);
  return as_float(extremes->a_largest) * as_float(extremes->b_largest) * k < MOST_SUM &&  // false with Inf or NaN, too
         !is_too_small(extremes->a_smallest, k) && !is_too_small(extremes->b_smallest, k) &&
         a_smallest * b_smallest * depth >= LEASTS_TIMES_DEPTH;
}
