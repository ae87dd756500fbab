// Asynchronous copies into local memory, by inline PTX. They need NVIDIA Ampere or later. On other devices
// the copies are synchronous, so that kernels that use them can be tested anywhere.
#include "common/nvidia.cl"

#if defined(__NV_CL_C_VERSION)
static inline void copy_16_async(const Shared shared, const __global char* global_memory) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global_memory) : "memory");
}

// Reads `bytes` bytes and fills the rest of the 16 bytes with zeros.
static inline void copy_some_of_16_async(const Shared shared, const __global float* elements,
                                         const int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(elements), "r"(bytes)
               : "memory");
}

// Copies through the L1 cache, so that the work-groups of a compute unit share what one of them has read.
// Without it fp16x3_mma took 1.8 times as long for 8192 x 8192 x 8192 with tiles of 64 x 64 (H100, 25
// November 2026). `direct` is as fast either way, and tf32x3_wgmma loses up to 10 %.
static inline void copy_some_of_16_by_l1(const Shared shared, const __global void* from, const int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(bytes)
               : "memory");
}

// Ends a group of copies.
static inline void copies_commit(void) {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Returns when all groups but the last `left` have arrived.
#define COPIES_WAIT(left) asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory")
#else
static inline void copy_16_async(const Shared shared, const __global char* global_memory) {
  *(__local float4*)shared = *(const __global float4*)global_memory;
}

static inline void copy_some_of_16_async(const Shared shared, const __global float* elements,
                                         const int bytes) {
  for (int i = 0; i < 4; ++i) ((__local float*)shared)[i] = 4 * i < bytes ? elements[i] : 0.0f;
}

static inline void copies_commit(void) {}
#define COPIES_WAIT(left)
#endif
