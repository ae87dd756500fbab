// Copies into local memory that a work-item does not wait for, from Ampere on, by inline PTX.
#include "common/nvidia.cl"

static inline void copy_16_async(const uint shared, const __global char* global_memory) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global_memory) : "memory");
}

// 16 bytes, of which `bytes` are read; zeros in place of the others.
static inline void copy_some_of_16_async(const uint shared, const __global float* elements, const int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(elements), "r"(bytes) : "memory");
}

// Ends a group of copies.
static inline void copies_commit(void) {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Returns when all but the last `left` groups have come.
#define COPIES_WAIT(left) asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory")
