// clgemm: reduce_parts
// role: reduce
// summary: C <- alpha * (sum of the parts that k was split into) + beta * C
// param: FOURS = 16 in 4 8 16 32 64 128 256
// param: SLOTS = 16 in 1 2 4 8 16 32
// tile: 1 FOURS 1
// local: FOURS*SLOTS 1
// grid: columns rows
// require: 16*FOURS*SLOTS <= local_bytes

// A work-group has FOURS groups of four neighbours of a row, of any rows. For each group it has SLOTS
// work-items, which share the parts. First each slot adds up its own parts, then the first slot adds up the
// slots. This order is the same for all sizes and devices, so the same parts always give the same bits.
#if !defined(FOURS) || !defined(SLOTS)
#error "reduce_parts needs FOURS and SLOTS"
#endif
#include "common/store.cl"

__kernel __attribute__((reqd_work_group_size(FOURS * SLOTS, 1, 1)))
void reduce(const int m, const int n, const int parts, const float alpha,
            __global const float* restrict source, const ulong source_offset, const ulong source_ld,
            const ulong source_stride, const float beta, __global float* restrict c, const ulong c_offset,
            const ulong ldc) {
  __local float4 sums[FOURS * SLOTS];
  const int four = get_local_id(0) % FOURS;
  const int slot = get_local_id(0) / FOURS;
  const int fours_a_row = source_ld / 4;
  const int place = get_group_id(0) * FOURS + four;
  const bool inside = place < m * fours_a_row;

  float4 sum = (float4)(0.0f);
  if (inside) {
    __global const float4* elements = (__global const float4*)(source + source_offset) + place;
#pragma unroll 4
    for (int part = slot; part < parts; part += SLOTS) sum += elements[part * (source_stride / 4)];
  }
  sums[get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);

  if (slot != 0 || !inside) return;
#pragma unroll
  for (int other = 1; other < SLOTS; ++other) sum += sums[other * FOURS + four];
  store4_c(c + c_offset, ldc, m, n, place / fours_a_row, place % fours_a_row * 4, alpha, sum, beta);
}
