// Decides whether products of bf16 planes stand for the fp32 product. Each work-group of the packing left a
// note about its part of an operand: the largest magnitude, and the complement of the smallest nonzero
// magnitude, as bits.
//
// The planes are not exact in any of these cases:
// - An element is Inf or NaN. Inf times a zero plane is NaN.
// - An element is so small that one of its planes is below the smallest bf16 number.
// - A sum of up to 2^30 products may overflow. The order of the additions would then decide which Inf or NaN
//   results.
// - A product is so small that a product of its planes (down to 2^-16 of it) is not an fp32 number. This
//   could also change the sign of a zero sum.
#include "common/notes.cl"

#define MOST_PRODUCT 0x1p97f
#define LEAST_PRODUCT 0x1p-133f
#define LEAST_BITS ((127 - 110) << 23)  // 2^-110
#define INFINITY_BITS 0x7f800000u

static inline bool planes_are_exact(const __local Extremes* extremes) {
  const uint a_smallest = ~extremes->a_smallest;
  const uint b_smallest = ~extremes->b_smallest;
  if (extremes->a_largest >= INFINITY_BITS || extremes->b_largest >= INFINITY_BITS) return false;
  if (a_smallest < LEAST_BITS || b_smallest < LEAST_BITS) return false;
  if (extremes->a_largest == 0 || extremes->b_largest == 0) return true;
  return as_float(extremes->a_largest) * as_float(extremes->b_largest) < MOST_PRODUCT &&
         as_float(a_smallest) * as_float(b_smallest) >= LEAST_PRODUCT;
}
