// The tensor cores of Hopper. A warpgroup of 128 work-items multiplies tiles in local memory, and continues
// with other work meanwhile. The instructions belong to the PTX target sm_90a, which OpenCL's compiler does
// not know. So they stand behind //@@ until the host has changed the PTX to that target (`ptx:` in
// kernels/README.md).
//
// The results of a warpgroup are floats in registers: rows x blocks of 8 columns. Work-item i of 128 has four
// floats of each block. Two are columns i % 4 * 2 and the next one of row i / 32 * 16 + i % 32 / 4. The other
// two are the same columns of the row 8 below.
#include "common/nvidia.cl"
#if !defined(PLANE_TYPE) || !defined(WGMMA_COLUMNS) || !defined(WGMMA_DEPTH) || !defined(WGMMA_END)
#error "wgmma needs PLANE_TYPE, WGMMA_COLUMNS (32, 64 or 128), WGMMA_DEPTH and WGMMA_END"
#endif

#define SUMS_16(d, i)                                                                                     \
  "+f"((d)[i]), "+f"((d)[i + 1]), "+f"((d)[i + 2]), "+f"((d)[i + 3]), "+f"((d)[i + 4]), "+f"((d)[i + 5]), \
      "+f"((d)[i + 6]), "+f"((d)[i + 7]), "+f"((d)[i + 8]), "+f"((d)[i + 9]), "+f"((d)[i + 10]),          \
      "+f"((d)[i + 11]), "+f"((d)[i + 12]), "+f"((d)[i + 13]), "+f"((d)[i + 14]), "+f"((d)[i + 15])

// Returns the descriptor of lines in local memory, which begin at a shared address, as matrices of 8 lines x
// 16 bytes. `along_k` and `along_lines` are the bytes from one such matrix to the next. `order` tells whether
// the pieces of 16 bytes lie in order.
#define IN_ORDER 0
#define SWIZZLED_128 1  // `piece ^ line % 8` in lines of 128 bytes; along k, only the address advances
static inline ulong matrix_descriptor(const uint address, const uint along_k, const uint along_lines,
                                      const ulong order) {
  return (ulong)((address & 0x3ffff) >> 4) | (ulong)(along_k >> 4) << 16 | (ulong)(along_lines >> 4) << 32 |
         order << 62;
}

// The operands of wgmma, by number: a work-item's results, then both factors, then whether to keep what d
// has.
#define SUM_NUMBERS_32 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define SUM_NUMBERS_64 \
  SUM_NUMBERS_32 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define SUM_NUMBERS_96 \
  SUM_NUMBERS_64 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define SUM_NUMBERS_128 \
  SUM_NUMBERS_96 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#if WGMMA_COLUMNS == 128
#define SHAPE "m64n128"
#define SUM_NUMBERS SUM_NUMBERS_128
#define ALL_SUMS(d) SUMS_16(d, 0), SUMS_16(d, 16), SUMS_16(d, 32), SUMS_16(d, 48)
#define FACTORS "{%64, %65, %66, %67}, %68"
#define KEEP "%69"
#elif WGMMA_COLUMNS == 64
#define SHAPE "m64n64"
#define SUM_NUMBERS SUM_NUMBERS_64
#define ALL_SUMS(d) SUMS_16(d, 0), SUMS_16(d, 16)
#define FACTORS "{%32, %33, %34, %35}, %36"
#define KEEP "%37"
#else
#define SHAPE "m64n32"
#define SUM_NUMBERS SUM_NUMBERS_32
#define ALL_SUMS(d) SUMS_16(d, 0)
#define FACTORS "{%16, %17, %18, %19}, %20"
#define KEEP "%21"
#endif

// Computes d (+)= a b^T for 64 x WGMMA_COLUMNS results and WGMMA_DEPTH of k. If `keep` is 0, it overwrites d.
// `a` holds 16 rows x 16 of k of each warp, as load_matrices() leaves them. They are read from local memory
// once, not in each product, which saves a sixth of the reads there.
static inline void wgmma(float* d, const uint* a, const ulong b, const int keep) {
  asm volatile("//@@ { .reg .pred keep; setp.ne.b32 keep, " KEEP ", 0; wgmma.mma_async.sync.aligned." SHAPE
               WGMMA_DEPTH ".f32." PLANE_TYPE "." PLANE_TYPE " {" SUM_NUMBERS "}, " FACTORS
               ", keep, 1, 1" WGMMA_END "; }"
               : ALL_SUMS(d)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep)
               : "memory");
}

// Must precede the first wgmma, and each wgmma after other instructions have used d.
static inline void wgmma_fence_sums(float* d) {
  asm volatile("//@@ wgmma.fence.sync.aligned;" : ALL_SUMS(d) : : "memory");
}

// Returns when all committed work is done and d can be read.
static inline void wgmma_wait(float* d) {
  asm volatile("//@@ wgmma.wait_group.sync.aligned 0;" : ALL_SUMS(d) : : "memory");
}

// Returns when all committed work but the last group is done and d can be read.
static inline void wgmma_wait_but_last(float* d) {
  asm volatile("//@@ wgmma.wait_group.sync.aligned 1;" : ALL_SUMS(d) : : "memory");
}

// Must precede a wgmma that reads registers written since the last fence. Other wgmma may be in flight.
static inline void wgmma_fence(void) {
  asm volatile("//@@ wgmma.fence.sync.aligned;" ::: "memory");
}

// Returns when all committed work but the last two groups is done. Then the registers that the others read
// can be written.
static inline void wgmma_wait_but_last_two(void) {
  asm volatile("//@@ wgmma.wait_group.sync.aligned 2;" ::: "memory");
}

static inline void wgmma_commit(void) {
  asm volatile("//@@ wgmma.commit_group.sync.aligned;" ::: "memory");
}
