// Whether products of fp16 planes stand for the fp32 product, by what each work-group of the packing noted of its part of
// an operand: the largest magnitude as it was, and the complement of the smallest that is not zero, scaled as its line is
// (common/fp16_planes.cl). docs/accuracy.md has the derivation.
//
// They do not where there is an Inf or a NaN (Inf times a plane that is 0 is a NaN), nor where a sum of k products may
// overflow, so that which Inf or NaN comes of it depends on the order of adding. And not where a number is so far below its
// line's largest that planes lose too much of it: fp16 ends at 2^-24, so that a scaled x, planes together, is off by
// max(2 u |x|, 2^-36), u = 2^-24. Allowed are 2 u |x|, and with many products, which round as often in plain fp32, k / 16
// u |x|. A line's largest is at least 2^14; so its smallest may be 2^-27 of it with k = 32, 2^-34 with k = 4096.
#include "common/notes.cl"

#define INFINITY_BITS 0x7f800000u
#define MOST_SUM 0x1p126f
#define LEAST_TIMES_DEPTH 0x1p-8f  // 2^-36 / (u / 16)
#define LEAST_DEPTH 32             // for which 2 u is k / 16 u

static inline bool planes_hold(const uint largest, const uint smallest, const int k) {
  return largest < INFINITY_BITS && as_float(smallest) * max(k, LEAST_DEPTH) >= LEAST_TIMES_DEPTH;
}

static inline bool planes_are_exact(const __local Extremes* extremes, const int k) {
  if (extremes->a_largest == 0 || extremes->b_largest == 0) {
    return max(extremes->a_largest, extremes->b_largest) < INFINITY_BITS;  // all products are zero
  }
  return planes_hold(extremes->a_largest, ~extremes->a_smallest, k) &&
         planes_hold(extremes->b_largest, ~extremes->b_smallest, k) &&
         as_float(extremes->a_largest) * as_float(extremes->b_largest) * k < MOST_SUM;
}
