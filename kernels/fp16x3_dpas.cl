// clgemm: fp16x3_dpas
// summary: fp32 on the matrix units of Intel's GPUs: three products of fp16 planes, added in fp32
// operands: fp16_planes ITEMS=256
// fallback: fallback_fp32 TN=4
// precision: fp32_equivalent
// least_k: 512
// param: LANES = 16 in 8 16   work-items of a sub-group
// param: BM = 128 in 64 128
// param: BN = 128 in 64 128
// param: WM = 32 in 16 32
// param: WN = 32 in 8 16 32
// tile: BM BN 32
// local: BM/WM*(BN/WN)*LANES
// grid: tiles
// products: 3
// results: WM*WN/32   counted as in a sub-group of 32, because a smaller one has as many registers
// estimate: LANES BM BN WM WN: 16 128 128 32 32, 16 64 64 16 16, 8 128 128 32 16, 8 64 64 16 8
// require: extension(cl_intel_subgroup_matrix_multiply_accumulate)
// require: extension(cl_intel_subgroup_local_block_io)
// require: LANES == matrix_sub_group
// require: BM/WM*(BN/WN)*LANES == 256   work-items copy a block at a time
// require: 128*(BM+BN) <= local_bytes
// calibrate: LANES BM BN WM WN: 16 128 128 32 32, 16 64 64 16 16, 16 128 64 32 16, 16 64 128 16 32
// calibrate: LANES BM BN WM WN: 8 128 128 32 16, 8 64 64 16 8, 8 128 64 16 16, 8 64 128 16 16

// This kernel is unmeasured. It is fp16x3_mfma.cl with DPAS, the matrix instruction of Intel's GPUs.
//
// Planes can hold numbers that are denormal in fp16. docs/platforms.md says why DPAS is taken to multiply
// them, and docs/accuracy.md what is known about its rounding.
//
// Arc A needs LANES=8, the others 16. By the peaks of data sheets, an instruction occupies a matrix unit for
// 16 clocks on Arc A (1024 multiply-adds) and Arc B (2048), and for 8 clocks on Data Center GPU Max (2048).
#include "common/dpas.cl"
#include "fp16x3_mfma.cl"
