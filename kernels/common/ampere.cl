// Copies of 16 bytes into local memory that a work-item does not wait for, from Ampere on, by inline PTX.
#include "common/nvidia.cl"

static inline void copy_16_async(const uint shared, const __global char* global_memory) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global_memory) : "memory");
}

// Ends a group of copies.
static inline void copies_commit(void) {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Returns when all but the last `left` groups have come.
#define COPIES_WAIT(left) asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory")
