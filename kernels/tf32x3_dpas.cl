// clgemm: tf32x3_dpas
// summary: fp32 on the matrix units of Intel's GPUs, no packing: three products of TF32 parts, added in fp32
// operands: in_place
// precision: fp32_equivalent
// least_k: 64
// param: TILE_M = 64 in 32 64 128
// param: TILE_N = 64 in 32 64 128
// param: WARP_M = 32 in 16 32         the part of a sub-group
// param: WARP_N = 32 in 16 32
// param: STAGES = 2 in 2 3
// param: BAND = 8 in 1 8
// tile: TILE_M TILE_N 32
// local: TILE_M/WARP_M*(TILE_N/WARP_N)*16
// grid: tiles
// align: 4
// results: WARP_M*WARP_N/32   counted as in a sub-group of 32, because a smaller one has as many registers
// require: extension(cl_intel_subgroup_matrix_multiply_accumulate_tf32)
// require: matrix_sub_group == 16
// require: TILE_M/WARP_M*(TILE_N/WARP_N)*16 >= TILE_M && TILE_M/WARP_M*(TILE_N/WARP_N)*16 >= TILE_N
// require: TILE_M/WARP_M*(TILE_N/WARP_N)*16 <= 512
// require: 160*STAGES*(TILE_M+TILE_N) <= local_bytes
// require: 4*TILE_M*(TILE_N+8) <= local_bytes
// products: 3
// matrix_units: tf32
// calibrate: TILE_M TILE_N WARP_M WARP_N: 128 64 32 32, 64 64 32 32, 64 64 16 16

// This kernel is unmeasured. It is tf32x3_mma.cl with DPAS, the matrix instruction of Intel's GPUs. Arc B and
// Data Center GPU Max multiply TF32 numbers; Arc A does not. clgemm has no guess of its speed, so it is
// chosen only after a calibration.
//
// The copies of a step wait for memory, because there are no asynchronous ones. Other sub-groups multiply
// meanwhile.
#define WARP 16
#define TM (WARP_M * WARP_N > 256 ? 8 : 4)
#define TN (WARP_M * WARP_N / WARP / TM)
#include "common/dpas_tf32.cl"
#include "common/tf32_warps.cl"

// No pointer is `restrict`, for the reason given in direct.cl.
__kernel __attribute__((intel_reqd_sub_group_size(WARP)))
__attribute__((reqd_work_group_size(MULTIPLIERS, 1, 1)))
void gemm(GEMM_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local float4 memory[MEMORY_FLOATS / 4];
  __local Noticed noticed;
  const size_t batch = get_global_id(2);
  __global const float* a_first = a + a_offset + batch * a_stride;
  __global const float* b_first = b + b_offset + batch * b_stride;
  __global float* c_first = c + c_offset + batch * c_stride;
  const Multiply call = {m, n, k, alpha, beta, a_first, b_first, c_first, lda, ldb, ldc};
  const int2 first = tile_of(&call);
  multiply_tile(&call, memory, &noticed, first.x, first.y);
}
