// clgemm: tf32x3_wgmma
// summary: fp32 on the tensor cores of NVIDIA Hopper, no packing: three products of TF32 parts, added in fp32
// operands: in_place
// precision: fp32_equivalent
// least_k: 32
// ptx: sm_90a
// param: TILE_X = 128 in 64 128 256
// param: TILE_Y = 128 in 32 64 128
// param: SWAP = 0 in 0 1              X, whose lines go by 64, has columns of C
// param: SLICES = 1 in 1 2
// param: STAGES = 3 in 2 3 4 5
// param: BAND = 8 in 1 8
// adds_parts: 1
// registers: 128 * (TILE_X == 64 && TILE_Y == 32)
// tile: TILE_X*(1-SWAP)+TILE_Y*SWAP TILE_Y*(1-SWAP)+TILE_X*SWAP 32*SLICES
// local: (TILE_X*2+128)*SLICES
// grid: tiles
// require: nvidia_sm == 90
// require: (TILE_X*2+128)*SLICES <= 512+128*(TILE_Y == 32)
// require: SLICES*STAGES*((TILE_X*144+TILE_Y*400+1023)/1024*1024) <= 230400
// calibrate: TILE_X TILE_Y SLICES: 128 128 1, 128 64 1, 64 64 1, 64 64 2; STAGES: 3; SWAP: 0, 1
// calibrate: TILE_X TILE_Y SLICES: 256 32 1, 128 32 1, 64 32 2, 64 32 1; STAGES: 3; SWAP: 0, 1

// For shapes whose packing (fp16x3_wgmma.cl) would take as long as their multiplication: medium sizes, few
// rows or columns, small k. The technique is in common/tf32x3.cl.
//
// Products with few rows or columns have to read the other operand fast. 16 x 8192 x 8192 with a transposed
// B takes 98.5 us with tiles of 128 x 32 and 3 stages, and 93.9 us with 5 stages. It takes 82.4 us with tiles
// of 256 x 32, where four warpgroups of multipliers use the same planes of Y (H200, November 2026). The
// work-group then has 640 work-items, so each has at most 96 registers. They suffice for 32 lines of Y, but
// not for 64.
//
// `registers`: with 128, two work-groups run at a time. With 130, 79 x 1074 x 1458 takes 1.33 times as long
// (H200, November 2026).
#define LOADS_STAY
#include "common/arguments.cl"
#include "common/tf32x3.cl"

// No pointer is `restrict`, for the reason given in direct.cl.
__kernel __attribute__((reqd_work_group_size(MULTIPLIERS + COPIERS * SLICES, 1, 1)))
void gemm(GEMM_ARGUMENTS, PARTS_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local char memory[MEMORY_BYTES] __attribute__((aligned(1024)));
  __local ulong barriers[2 * STAGES * SLICES];
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
  multiply_tile(&call, memory, barriers, &noticed, first.x, first.y);
  if (is_part && get_local_id(0) < MULTIPLIERS &&
      is_last_part(&parts, get_group_id(0), (__local uint*)memory))
    add_parts(&parts, MULTIPLIERS, ROWS, COLUMNS, c_first, ldc, m, n, first.x, first.y, alpha, beta);
}
