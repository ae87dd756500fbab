// The operands form `fp16_planes`: an fp32 number x of a line is 2^e (h + 2^-11 l), with h and l in fp16 and one exponent e
// for the whole line, which brings its largest number to just below 2^16, where fp16 ends, so that the smallest ones have the
// most room. In front of the blocks of a strip lie the exponents of its 64 lines, as int. Rows of A and columns of B may so be of any magnitudes; what counts is how far apart
// the numbers of one line are (common/fp16_range.cl).
#define PLANES 2
#define PLANE_TYPE "f16"  // in PTX
#define HEADER_BYTES 256
#define LOW_SCALE 0x1p-11f
#define LARGEST_EXPONENT 15  // of a line's largest number, scaled and rounded
#define HALF_UNIT 0x1000u    // of fp16's 11 bits, in the bits of an fp32 number
#define LEAST_EXPONENT -126  // so that 2^-e is a number
#include "common/planes.cl"

// 2^exponent, of a normal number.
static inline float power_of_two(const int exponent) {
  return as_float((uint)(exponent + 127) << 23);
}

// The exponent of a line by the bits of its largest magnitude, which must not be rounded up to 2^16.
static inline int line_exponent(const uint largest) {
  return max((int)((largest + HALF_UNIT) >> 23) - 127 - LARGEST_EXPONENT, LEAST_EXPONENT);
}

// Of a line counted from the first of its strip; `strip`: the bytes from one strip to the next.
static inline int exponent_of_line(const __global char* strips, const ulong strip, const int line) {
  return ((const __global int*)(strips + line / BLOCK_LINES * strip))[line % BLOCK_LINES];
}

static inline void set_exponent_of_line(__global void* strips, const ulong strip, const int line, const int exponent) {
  ((__global int*)((__global char*)strips + line / BLOCK_LINES * strip))[line % BLOCK_LINES] = exponent;
}

static inline float2 powers_of_two(const int2 exponents) {
  return as_float2(as_uint2(exponents + 127) << 23);
}

// 2^exponent * value of two neighbours, rounded once: where the exponent is halved, the half way is out of range only where
// the end is.
static inline float2 scaled_back(const float2 values, const int2 exponents) {
  const int2 halves = exponents >> 1;
  return values * powers_of_two(halves) * powers_of_two(exponents - halves);
}
