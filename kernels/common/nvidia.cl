// Features of NVIDIA's GPUs beyond OpenCL C, by inline PTX: addresses of local ("shared") memory,
// asynchronous copies into it, and barriers that count the bytes that have arrived. Names follow the PTX ISA.

// An address in local memory, in bytes. Other devices have it, so that kernels with `Shared` can be tested
// anywhere.
#if defined(__NV_CL_C_VERSION)
typedef uint Shared;

static inline Shared shared_address(const __local void* memory) {
  return (uint)(size_t)memory;
}
#else
typedef __local char* Shared;

static inline Shared shared_address(__local void* memory) {
  return (Shared)memory;
}
#endif

#if defined(__NV_CL_C_VERSION)
// Loads four matrices of 8 lines x 8 of k. Each work-item names one line: the first eight those of the first
// matrix, the next eight those of the second, and so on.
static inline void load_matrices(uint* fragment, const uint address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(address)
               : "memory");
}

// Returns 0, but the compiler does not know that. Values that depend on it are not computed before, so they
// need no registers while a tile is multiplied.
static inline int unknown_zero(void) {
  int zero;
  asm volatile("mov.u32 %0, 0;" : "=r"(zero));
  return zero;
}

// The functions below need Hopper or later.
static inline void mbarrier_init(const uint barrier, const uint arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Makes the result of mbarrier_init() visible to asynchronous copies.
static inline void mbarrier_init_fence(void) {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Makes this work-item's writes to local memory visible to wgmma. It must come before this work-item arrives
// at the barrier that the callers of wgmma wait at.
static inline void fence_for_async(void) {
  asm volatile("//@@ fence.proxy.async.shared::cta;" ::: "memory");
}

static inline void mbarrier_arrive(const uint barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Arrives when all asynchronous copies that this work-item has started so far are complete.
static inline void mbarrier_arrive_after_copies(const uint barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
}

static inline void mbarrier_expect_bytes(const uint barrier, const uint bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Returns when the phase of this parity is complete. The phase before the first one counts as complete, with
// parity 1. Parity cannot tell a phase from the one two before it. So a waiter must have seen the phase
// before the one that it waits for.
static inline void mbarrier_wait(const uint barrier, const uint parity) {
  asm volatile(
      "{ .reg .pred complete; again: mbarrier.try_wait.parity.shared.b64 complete, [%0], %1; "
      "@complete bra done; bra again; done: }" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Starts a bulk copy. The barrier counts its bytes when they have arrived. Addresses and size are multiples
// of 16.
static inline void copy_bulk(const uint shared, const __global char* global_memory, const uint bytes,
                             const uint barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared),
      "l"(global_memory), "r"(bytes), "r"(barrier)
      : "memory");
}
#endif
