// Whether products of fp16 planes stand for the fp32 product, by what each work-group of the packing noted of its part of
// an operand: the largest magnitude as it was, and the complement of the smallest that is not zero, scaled as its line is
// (common/fp16_planes.cl). docs/accuracy.md has the derivation.
//
// They do not where there is an Inf or a NaN (Inf times a plane that is 0 is a NaN), nor where a sum of k products may
// overflow, so that which Inf or NaN comes of it depends on the order of adding. And not where a number is so far below its
// line's largest that planes lose too much of it: fp16 ends at 2^-24, so that a scaled x, planes together, is off by
// max(2 u |x|, 2^-36), u = 2^-24. Allowed are 2 u |x|, and with many products, which plain fp32 rounds as often, k / 16 u |x|:
// of a line whose largest comes to 2^14 the smallest may be 2^-27 of it with k = 32, 2^-34 with k = 4096. What the low planes'
// own product comes to, which is left out, may be k / 2 u of the product.
#include "common/notes.cl"

#define ONE_BITS 0x3f800000u
#define MOST_SUM 0x1p126f
#define LEAST_DEPTH 32               // for which 2 u is k / 16 u
#define LEAST_TIMES_DEPTH 0x1p-8f    // 2^-36 / (u / 16)
#define LEASTS_TIMES_DEPTH 0x1p-25f  // of both operands: 2^-25 2^-25 / (u / 2)

// The smallest that was noted; 1 stands for all larger ones, and for none.
static inline float smallest_noted(const uint complement) {
  return as_float(min(~complement, ONE_BITS));
}

// Whether the smallest number, by the complement that was noted, is too small for any partner. `k` as the multiply walks it.
static inline bool is_too_small(const uint complement, const int k) {
  return smallest_noted(complement) * max(k, LEAST_DEPTH) < LEAST_TIMES_DEPTH;
}

static inline bool planes_are_exact(const __local Extremes* extremes, const int k) {
  const float depth = max(k, LEAST_DEPTH);
  const float a_smallest = smallest_noted(extremes->a_smallest);
  const float b_smallest = smallest_noted(extremes->b_smallest);
  return as_float(extremes->a_largest) * as_float(extremes->b_largest) * k < MOST_SUM &&  // false with Inf or NaN, too
         !is_too_small(extremes->a_smallest, k) && !is_too_small(extremes->b_smallest, k) &&
         a_smallest * b_smallest * depth >= LEASTS_TIMES_DEPTH;
}
