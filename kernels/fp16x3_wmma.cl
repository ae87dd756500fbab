// clgemm: fp16x3_wmma
// summary: fp32 on the matrix units of AMD's RDNA 3 and 4: three products of fp16 planes, added in fp32
// operands: fp16_planes ITEMS=256
// fallback: fallback_fp32
// precision: fp32_equivalent
// least_k: 512
// param: BM = 128 in 64 128
// param: BN = 128 in 64 128
// param: WM = 64 in 32 64
// param: WN = 32 in 16 32
// tile: BM BN 32
// local: BM/WM*(BN/WN)*32
// grid: tiles
// products: 3
// estimate: BM BN WM WN: 128 128 64 32, 64 64 32 16
// require: arch(gfx110*) || arch(gfx115*) || arch(gfx120*)
// require: BM/WM*(BN/WN) == 8   two waves for each matrix unit; their work-items copy a block at a time
// require: 128*(BM+BN) <= local_bytes
// calibrate: BM BN WM WN: 128 128 64 32, 64 64 32 16, 128 64 32 32, 64 128 32 32

// This kernel is unmeasured. It is fp16x3_mfma.cl with WMMA, the matrix instruction of RDNA.
//
// Planes can hold numbers that are denormal in fp16. docs/platforms.md says why WMMA is taken to multiply
// them, and docs/accuracy.md what is known about its rounding.
//
// An instruction of 4096 multiply-adds occupies a matrix unit for 32 clocks on RDNA 3 and for 16 clocks on
// RDNA 4. In each step of 32 along k, a wave with 64 x 32 results has 48 of these instructions.
#include "common/wmma.cl"
#include "fp16x3_mfma.cl"
