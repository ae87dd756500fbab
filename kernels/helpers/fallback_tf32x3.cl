// clgemm: fallback_tf32x3
// role: fallback
// summary: three products of TF32 parts if planes would not be exact, nothing otherwise; for NVIDIA Hopper
// ptx: sm_90a
// param: TILE_X = 128 in 64 128
// param: TILE_Y = 128 in 32 64 128
// param: SWAP = 0 in 0 1
// param: SLICES = 1 in 1 2
// param: STAGES = 3 in 3 4 5
// param: BAND = 8 in 1 8
// tile: TILE_X*(1-SWAP)+TILE_Y*SWAP TILE_Y*(1-SWAP)+TILE_X*SWAP 32*SLICES
// local: (TILE_X*2+128)*SLICES
// grid: tiles
// require: nvidia_sm == 90
// require: (TILE_X*2+128)*SLICES <= 512
// require: SLICES*STAGES*((TILE_X*144+TILE_Y*400+1023)/1024*1024) <= 230400

// Runs after kernels on planes. It costs little more than a launch if there is nothing to do. The technique
// is in common/tf32x3.cl.
#define LOADS_STAY
#define SELDOM_STORES
#include "common/arguments.cl"
#include "common/notes.cl"
#include "common/tf32x3.cl"

// Hides from the compiler that these values are arguments of the kernel. Otherwise it reads them from
// constant memory at each use, even in all steps along k, which takes an H200 8 % longer (November 2026).
INLINED Multiply in_registers(Multiply call) {
  ulong a = (ulong)call.a, b = (ulong)call.b;
  asm volatile(""
               : "+r"(call.m), "+r"(call.n), "+r"(call.k), "+l"(a), "+l"(b), "+l"(call.lda), "+l"(call.ldb));
  call.a = (__global const float*)a;
  call.b = (__global const float*)b;
  return call;
}

__kernel __attribute__((reqd_work_group_size(MULTIPLIERS + COPIERS * SLICES, 1, 1)))
void fallback(FALLBACK_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local char memory[MEMORY_BYTES] __attribute__((aligned(1024)));
  __local ulong barriers[2 * STAGES * SLICES];
  __local Noticed noticed;
  if (is_done(notes, before)) return;
  const size_t batch = get_global_id(2);
  const Multiply call = in_registers((Multiply){m, n, k, alpha, beta, a + a_offset + batch * a_stride,
                                                b + b_offset + batch * b_stride,
                                                c + c_offset + batch * c_stride, lda, ldb, ldc});
  const int2 first = tile_of(&call);
  multiply_tile(&call, memory, barriers, &noticed, first.x, first.y);
}
