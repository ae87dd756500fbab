// Copies into local memory that a work-item does not wait for, from Ampere on, by inline PTX.
#include "common/nvidia.cl"

static inline void copy_16_async(const uint shared, const __global char* global_memory) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global_memory) : "memory");
}

// 16 bytes, of which `bytes` are read; zeros in place of the others.
static inline void copy_some_of_16_async(const uint shared, const __global float* elements, const int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(elements), "r"(bytes) : "memory");
}

// The same by way of the L1 cache, where the work-groups of a compute unit find what others have read. 8192 x 8192 x 8192 by 64 x 64
// tiles of fp16x3_mma took an H100 1.8 times as long without it (25 November 2026). `direct` is as fast either way, and
// tf32x3_wgmma loses up to 10 % by it.
static inline void copy_some_of_16_by_l1(const uint shared, const __global void* from, const int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(bytes) : "memory");
}

// Ends a group of copies.
static inline void copies_commit(void) {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Returns when all but the last `left` groups have come.
#define COPIES_WAIT(left) asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory")
