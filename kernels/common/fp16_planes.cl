// The operands form `fp16_planes`: an fp32 number x of a line is 2^e (h + 2^-11 l), with h and l in fp16. All
// numbers of a line share the exponent e. It scales the line's largest number to just below 2^16, the end of
// fp16, so that the smallest numbers have the most room. The exponents of a strip's 64 lines stand in front
// of its blocks, as int. So rows of A and columns of B may have any magnitude. Only the range within one line
// matters (common/fp16_range.cl).
#define PLANES 2
#define PLANE_TYPE "f16"  // in PTX
#define HEADER_BYTES 256
#define LOW_SCALE 0x1p-11f
#define LARGEST_EXPONENT 15  // exponent of a line's largest number after scaling and rounding
#define HALF_UNIT 0x1000u    // half a unit of fp16's 11 bits, in the bits of an fp32 number
#define LEAST_EXPONENT -126  // so that 2^-e is an fp32 number
#include "common/planes.cl"

// Returns 2^exponent. The result must be a normal number.
static inline float power_of_two(const int exponent) {
  return as_float((uint)(exponent + 127) << 23);
}

// Returns the exponent of a line from the bits of its largest magnitude, which must not be rounded up to
// 2^16.
static inline int line_exponent(const uint largest) {
  return max((int)((largest + HALF_UNIT) >> 23) - 127 - LARGEST_EXPONENT, LEAST_EXPONENT);
}

// Returns the exponent of a line, counted from the first line of its strip. `strip` is the distance between
// strips in bytes.
static inline int exponent_of_line(const __global char* strips, const ulong strip, const int line) {
  return ((const __global int*)(strips + line / BLOCK_LINES * strip))[line % BLOCK_LINES];
}

static inline void set_exponent_of_line(__global void* strips, const ulong strip, const int line,
                                        const int exponent) {
  ((__global int*)((__global char*)strips + line / BLOCK_LINES * strip))[line % BLOCK_LINES] = exponent;
}

// Returns 2^e * value for two neighbours, rounded once if the result is normal. `exponents` are e *
// EXPONENT_UNIT. The two halves of e are applied one after the other. The intermediate result is out of range
// only if the final result is, too. `both` is (e + 254) * 2^22. From bit 23 on, it has (e + 254) / 2 rounded
// down, which is the biased exponent of the lower half. With one unit more it has that of the upper half.
#define EXPONENT_UNIT 0x400000
static inline float2 scaled_back(const float2 values, const int2 exponents) {
  const uint2 both = as_uint2(exponents + 2 * 127 * EXPONENT_UNIT);
  return values * as_float2(both & 0x7f800000u) * as_float2((both + EXPONENT_UNIT) & 0x7f800000u);
}
