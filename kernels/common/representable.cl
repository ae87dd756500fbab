// Whether products of bf16 planes stand for the fp32 product, by what the packing noted of both operands. They do not
// where there is an Inf or a NaN (Inf times a plane that is 0 is a NaN); where a number is so small that its planes are
// below the smallest bf16; and where a sum, of up to 2^30 products, may overflow, so that which Inf or NaN comes of it
// depends on the order of adding.
#include "common/bf16_planes.cl"

static inline bool planes_are_exact(__global const uint* restrict notes) {
  const uint smallest_with_planes = (127 - 110) << 23;  // 2^-110
  const float a_largest = as_float(notes[NOTED_LARGEST]);
  const float b_largest = as_float(notes[NOTES + NOTED_LARGEST]);
  const bool finite = notes[NOTED_LARGEST] < 0x7f800000u && notes[NOTES + NOTED_LARGEST] < 0x7f800000u;
  const bool large_enough =
      ~notes[NOTED_SMALLEST] >= smallest_with_planes && ~notes[NOTES + NOTED_SMALLEST] >= smallest_with_planes;
  const bool without_overflow = a_largest * b_largest < 0x1p97f;
  // All products may be so small that they lose bits, and those of planes more than those of numbers.
  const bool without_underflow = a_largest * b_largest >= 0x1p-90f || a_largest == 0.0f || b_largest == 0.0f;
  return finite && large_enough && without_overflow && without_underflow;
}
