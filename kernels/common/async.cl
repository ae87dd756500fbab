// Asynchronous copies of floats into local memory, on NVIDIA Ampere and later (`nvidia_sm >= 80`). On other
// devices the copies are synchronous, so that kernels that use them can be tested anywhere.
#if defined(__NV_CL_C_VERSION) && NVIDIA_SM >= 80
#include "common/ampere.cl"
#define ASYNC_COMMIT copies_commit()        // ends a group of copies
#define ASYNC_WAIT(left) COPIES_WAIT(left)  // returns when all groups but the last `left` have arrived

static inline void copy_float_async(__local float* to, __global const float* from) {
  asm volatile("cp.async.ca.shared.global.L2::256B [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from)
               : "memory");
}

static inline void copy_float4_async(__local float* to, __global const float* from) {
  asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
               : "memory");
}

// Returns from + count, and hides the addition from the compiler. If the compiler sees it, it keeps the
// addresses of a few copies as differences and adds them up at each copy.
static inline __global const float* moved_by(__global const float* from, const ulong count) {
  __global const float* result;
  asm("add.u64 %0, %1, %2;" : "=l"(result) : "l"(from), "l"(4 * count));
  return result;
}
#else
static inline void copy_float_async(__local float* to, __global const float* from) {
  *to = *from;
}

static inline void copy_float4_async(__local float* to, __global const float* from) {
  *(__local float4*)to = *(__global const float4*)from;
}

static inline __global const float* moved_by(__global const float* from, const ulong count) {
  return from + count;
}

#define ASYNC_COMMIT
#define ASYNC_WAIT(left)
#endif
