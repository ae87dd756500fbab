// Hopper's tensor cores: warpgroups of 128 work-items multiply tiles in local memory, while they go on with something
// else. The instructions are of the PTX target sm_90a, which OpenCL's compiler does not know: they stand behind //@@ until
// the host has taken the PTX to that target (`ptx:` in kernels/README.md).
//
// The results of a warpgroup, rows x 8-column blocks of floats, in registers: work-item i of 128 has, of each 8-column
// block, columns i % 4 * 2 and the next of row i / 32 * 16 + i % 32 / 4, then those of the row 8 below.
#include "common/nvidia.cl"
#if !defined(PLANE_TYPE) || !defined(WGMMA_DEPTH) || !defined(WGMMA_END)
#error "wgmma needs PLANE_TYPE, WGMMA_DEPTH and WGMMA_END"
#endif

#define SUMS_16(d, i)                                                                                     \
  "+f"((d)[i]), "+f"((d)[i + 1]), "+f"((d)[i + 2]), "+f"((d)[i + 3]), "+f"((d)[i + 4]), "+f"((d)[i + 5]), \
      "+f"((d)[i + 6]), "+f"((d)[i + 7]), "+f"((d)[i + 8]), "+f"((d)[i + 9]), "+f"((d)[i + 10]),          \
      "+f"((d)[i + 11]), "+f"((d)[i + 12]), "+f"((d)[i + 13]), "+f"((d)[i + 14]), "+f"((d)[i + 15])

// The descriptor of lines in local memory from a shared address on, as matrices of 8 lines x 16 bytes: the bytes from one such
// matrix to the next along k and along the lines, and whether pieces of 16 bytes lie in order.
#define IN_ORDER 0
#define SWIZZLED_128 1  // by `piece ^ line % 8` in lines of 128 bytes; along k the address itself goes on
static inline ulong matrix_descriptor(const uint address, const uint along_k, const uint along_lines,
                                      const ulong order) {
  return (ulong)((address & 0x3ffff) >> 4) | (ulong)(along_k >> 4) << 16 | (ulong)(along_lines >> 4) << 32 |
         order << 62;
}

// d (+)= a b^T for 64 x 128 results and WGMMA_DEPTH of k; `keep` 0 forgets what d held. a: 16 rows x 16 of k of each warp, as
// load_matrices() leaves them: reading them from local memory once, not in each product, saves a sixth of what is read there.
static inline void wgmma_128(float* d, const uint* a, const ulong b, const int keep) {
  asm volatile(
      "//@@ { .reg .pred keep; setp.ne.b32 keep, %69, 0; "
      "wgmma.mma_async.sync.aligned.m64n128" WGMMA_DEPTH ".f32." PLANE_TYPE "." PLANE_TYPE " {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, %68, keep, 1, 1" WGMMA_END "; }"
      : SUMS_16(d, 0),
        SUMS_16(d, 16),
        SUMS_16(d, 32),
        SUMS_16(d, 48)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep)
      : "memory");
}

// Before the first wgmma, and after others have touched d.
static inline void wgmma_fence_128(float* d) {
  asm volatile("//@@ wgmma.fence.sync.aligned;" : SUMS_16(d, 0), SUMS_16(d, 16), SUMS_16(d, 32), SUMS_16(d, 48)::"memory");
}

// Returns when all that was committed is done, and d can be read.
static inline void wgmma_wait_128(float* d) {
  asm volatile("//@@ wgmma.wait_group.sync.aligned 0;" : SUMS_16(d, 0), SUMS_16(d, 16), SUMS_16(d, 32), SUMS_16(d, 48)::"memory");
}

// Returns when all but what was committed last is done, and d can be read.
static inline void wgmma_wait_but_last_128(float* d) {
  asm volatile("//@@ wgmma.wait_group.sync.aligned 1;" : SUMS_16(d, 0), SUMS_16(d, 16), SUMS_16(d, 32), SUMS_16(d, 48)::"memory");
}

// d (+)= a b^T for 64 x 64 results and as much of k; `keep` 0 forgets what d held.
static inline void wgmma_64(float* d, const uint* a, const ulong b, const int keep) {
  asm volatile(
      "//@@ { .reg .pred keep; setp.ne.b32 keep, %37, 0; "
      "wgmma.mma_async.sync.aligned.m64n64" WGMMA_DEPTH ".f32." PLANE_TYPE "." PLANE_TYPE " {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, keep, 1, 1" WGMMA_END "; }"
      : SUMS_16(d, 0),
        SUMS_16(d, 16)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep)
      : "memory");
}

// Before the first wgmma, and after others have touched d.
static inline void wgmma_fence_64(float* d) {
  asm volatile("//@@ wgmma.fence.sync.aligned;" : SUMS_16(d, 0), SUMS_16(d, 16)::"memory");
}

// Returns when all that was committed is done, and d can be read.
static inline void wgmma_wait_64(float* d) {
  asm volatile("//@@ wgmma.wait_group.sync.aligned 0;" : SUMS_16(d, 0), SUMS_16(d, 16)::"memory");
}

// Returns when all but what was committed last is done, and d can be read.
static inline void wgmma_wait_but_last_64(float* d) {
  asm volatile("//@@ wgmma.wait_group.sync.aligned 1;" : SUMS_16(d, 0), SUMS_16(d, 16)::"memory");
}

// d (+)= a b^T for 64 x 32 results and as much of k; `keep` 0 forgets what d held.
static inline void wgmma_32(float* d, const uint* a, const ulong b, const int keep) {
  asm volatile(
      "//@@ { .reg .pred keep; setp.ne.b32 keep, %21, 0; "
      "wgmma.mma_async.sync.aligned.m64n32" WGMMA_DEPTH ".f32." PLANE_TYPE "." PLANE_TYPE " {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
      "{%16, %17, %18, %19}, %20, keep, 1, 1" WGMMA_END "; }"
      : SUMS_16(d, 0)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep)
      : "memory");
}

// Before the first wgmma, and after others have touched d.
static inline void wgmma_fence_32(float* d) {
  asm volatile("//@@ wgmma.fence.sync.aligned;" : SUMS_16(d, 0)::"memory");
}

// Returns when all that was committed is done, and d can be read.
static inline void wgmma_wait_32(float* d) {
  asm volatile("//@@ wgmma.wait_group.sync.aligned 0;" : SUMS_16(d, 0)::"memory");
}

// Before a wgmma that reads what was written to registers since the last fence; others may be under way.
static inline void wgmma_fence(void) {
  asm volatile("//@@ wgmma.fence.sync.aligned;" ::: "memory");
}

static inline void wgmma_commit(void) {
  asm volatile("//@@ wgmma.commit_group.sync.aligned;" ::: "memory");
}
