// fp16 as bits: one uint holds two numbers, the first one in its lower half. Rounds to nearest, ties to even.
// Small numbers become denormal.
#ifdef __NV_CL_C_VERSION
static inline uint half_bits(const float2 values) {
  uint bits;
#if NVIDIA_SM >= 80
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(values.y), "f"(values.x));
#else
  asm("{ .reg .b16 low, high; cvt.rn.f16.f32 low, %1; cvt.rn.f16.f32 high, %2; mov.b32 %0, {low, high}; }"
      : "=r"(bits)
      : "f"(values.x), "f"(values.y));
#endif
  return bits;
}

static inline float2 from_half_bits(const uint bits) {
  float2 values;
  asm("{ .reg .b16 low, high; mov.b32 {low, high}, %2; cvt.f32.f16 %0, low; cvt.f32.f16 %1, high; }"
      : "=f"(values.x), "=f"(values.y)
      : "r"(bits));
  return values;
}
#else
static inline uint half_bits(const float2 values) {
  ushort bits[2];
  vstore_half2_rte(values, 0, (half*)bits);
  return bits[0] | (uint)bits[1] << 16;
}

static inline float2 from_half_bits(const uint bits) {
  const ushort both[2] = {(ushort)bits, (ushort)(bits >> 16)};
  return vload_half2(0, (const half*)both);
}
#endif
