// clgemm: fp16x3_mma_k8
// summary: fp32 on the tensor cores of NVIDIA Turing: three products of fp16 planes, added in fp32
// operands: fp16_planes
// fallback: fallback_fp32
// precision: fp32_equivalent
// least_k: 512
// param: TILE_M = 128 in 64 128
// param: TILE_N = 64 in 64 128
// param: STAGES = 2 in 2
// param: BAND = 8 in 1 4 8 16
// tile: TILE_M TILE_N 16
// local: TILE_M/64*(TILE_N/32)*32
// grid: tiles
// require: nvidia_sm >= 75
// products: 3
// estimate: TILE_M TILE_N: 128 64, 64 64
// calibrate: TILE_M TILE_N: 128 64, 64 64, 128 128
// calibrate_if: nvidia_sm < 80

// This kernel was not measured on Turing. It is fp16x3_mma.cl with the instruction and the copies of Turing.
// Later tensor cores run it, too, but they have better instructions.
#define MMA_K8
#include "fp16x3_mma.cl"
