// Whether products of bf16 planes stand for the fp32 product, by what each work-group of the packing noted of its part of
// an operand: the largest magnitude, and the complement of the smallest that is not zero, as bits.
//
// They do not where there is an Inf or a NaN (Inf times a plane that is 0 is a NaN); where a number is so small that its
// planes are below the smallest bf16; where a sum, of up to 2^30 products, may overflow, so that which Inf or NaN comes of
// it depends on the order of adding; and where a product may be so small that those of its planes, down to 2^-16 of it,
// are no fp32 numbers, which would also change the sign of a sum that is zero.
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
