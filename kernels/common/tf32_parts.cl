// Numbers as two TF32 parts, for kernels that make three products of them ("3xTF32" of CUTLASS; Ootomo and
// Yokota 2022). A number x is h + l. Both are TF32 (8 bits of exponent, 11 of mantissa). h is x rounded, and
// l is the rest; the tensor core drops what exceeds its 11 bits. Then a b is l h' + h l' + h h', except for
// 2^-22 of it.
//
// TF32 has the exponents of fp32. The kernels notice numbers that TF32 cannot hold. Inf, NaN and what rounds
// to Inf give a result that is not a number. All work-items look for numbers so small that their low part is
// lost. If something is noticed, the tile is computed again in plain fp32.

// Ignores the sign. Zeros count as the largest of all.
static inline uint least_with(const uint least, const uint bits) {
  return min(least, 2 * bits - 1);
}

static inline uint high_part(const uint bits) {
  return (bits + 0x1000u) & 0xffffe000u;
}

static inline uint low_part(const uint bits, const uint high) {
  return as_uint(as_float(bits) - as_float(high));
}

// The least product of a tile that may go to the matrix units.
#if !defined(LEAST_PRODUCT)
#define LEAST_PRODUCT 0x1p-110f
#endif

// Returns true if the tensor cores lose nothing that matters, by the least numbers of both operands, as
// least_with() has noticed them. The low part of a number is at most 2^-12 of it. If the number is at least
// 2^-104, its low part is off by at most 2^-136. Products of at least 2^-110 are off by at most 2^-149,
// because the tensor core ends there. Each error is at most 2^-22 of the number or product.
static inline bool are_large_enough(const uint least_x, const uint least_y) {
  if (least_x == UINT_MAX || least_y == UINT_MAX) return true;
  const float x = as_float((least_x + 1) / 2);
  const float y = as_float((least_y + 1) / 2);
  return x >= 0x1p-104f && y >= 0x1p-104f && x * y >= LEAST_PRODUCT;
}

// Returns `zero` if the value is a number, otherwise NaN. This takes one instruction if the compiler makes an
// FMA of it. No program is built with options that let it assume finite numbers.
static inline float still_zero(const float zero, const float value) {
  return zero + 0.0f * value;
}
