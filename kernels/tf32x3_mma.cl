// clgemm: tf32x3_mma
// summary: fp32 on the tensor cores of NVIDIA Ampere and later, no packing: three products of TF32 parts
// operands: in_place
// precision: fp32_equivalent
// least_k: 32
// param: TILE_M = 128 in 32 64 128
// param: TILE_N = 64 in 32 64 128
// param: WARP_M = 64 in 32 64         rows of a warp; it has 32 columns
// param: STAGES = 3 in 2 3 4
// param: BAND = 8 in 1 8
// adds_parts: 1
// tile: TILE_M TILE_N 32
// local: TILE_M*TILE_N/WARP_M
// grid: tiles
// align: 4
// require: nvidia_sm >= 80
// require: TILE_M >= WARP_M
// require: TILE_M*TILE_N/WARP_M >= TILE_M && TILE_M*TILE_N/WARP_M >= TILE_N && TILE_M*TILE_N/WARP_M <= 512
// require: 160*STAGES*(TILE_M+TILE_N) <= 122880
// products: 3
// matrix_units: tf32
// estimate: TILE_M TILE_N WARP_M: 128 64 64, 64 64 32, 64 32 32
// calibrate: TILE_M TILE_N WARP_M: 128 64 64, 64 64 32, 64 32 32

// For shapes whose packing (fp16x3_mma.cl) would take as long as their multiplication: medium sizes, few rows
// or columns, small k. It has the instructions that every tensor core has had since Ampere. The parts of
// numbers and their limits are in common/tf32.cl.
#define WARP 32
#define WARP_N 32
#define TM (WARP_M / 8)
#define TN 8
#include "common/mma_tf32.cl"
#include "common/tf32_warps.cl"

// No pointer is `restrict`, for the reason given in direct.cl.
__kernel __attribute__((reqd_work_group_size(MULTIPLIERS, 1, 1)))
void gemm(GEMM_ARGUMENTS, PARTS_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float4 memory[MEMORY_FLOATS / 4];
  __local Noticed noticed;
  const Parts parts = parts_of(k, part_depth, parts_memory, parts_offset, parts_ld, parts_stride, arrivals);
  const bool is_part = parts.count > 1;
  const int first_k = is_part ? get_global_id(2) * part_depth : 0;
  const size_t batch = is_part ? 0 : get_global_id(2);
  __global const float* a_first = a + a_offset + batch * a_stride + first_k * (TRANSPOSE_A ? lda : 1);
  __global const float* b_first = b + b_offset + batch * b_stride + first_k * (TRANSPOSE_B ? 1 : ldb);
  __global float* c_first = c + c_offset + batch * c_stride;
  const Multiply call = {m,
                         n,
                         min(k - first_k, part_depth),
                         is_part ? 1.0f : alpha,
                         is_part ? 0.0f : beta,
                         a_first,
                         b_first,
                         is_part ? result_of_part(&parts) : c_first,
                         lda,
                         ldb,
                         is_part ? parts_ld : ldc};
  const int2 first = tile_of(&call);
  multiply_tile(&call, memory, &noticed, first.x, first.y);
  if (is_part && is_last_part(&parts, get_group_id(0), (__local uint*)memory))
    add_parts(&parts, MULTIPLIERS, TILE_M, TILE_N, c_first, ldc, m, n, first.x, first.y, alpha, beta);
}
