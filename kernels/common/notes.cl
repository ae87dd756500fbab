// Notes: what the packing found out about the numbers that it saw. A kernel on planes learns from them
// whether it can do the work. The kernels after it learn whether it has done so.
//
// The notes lie in scratch. First come two words for each work-group that packed a part of A, for all A of
// the batch. Then come those of B; an operand with stride 0 is one for the whole batch. Then comes one word
// for each GEMM of the batch: whether it is done. Only the maximum of a word over all notes counts. The form
// of planes defines its meaning (common/bf16_range.cl, common/fp16_range.cl).
#define NOTES_TOGETHER 4  // notes of each matrix that a work-item loads at a time

// The maxima of the notes' words, as the form of planes defines them: a largest magnitude, and the complement
// of a smallest one.
typedef struct {
  uint a_largest, a_smallest, b_largest, b_smallest;
} Extremes;

// Combines the words of all work-items into one word of local memory, which must start as 0. A warp combines
// its own words first if the device can do that; otherwise 32 atomics queue.
static inline void fold_note(volatile __local uint* largest, uint value) {
#if defined(__NV_CL_C_VERSION) && NVIDIA_SM >= 80
  asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(value) : "r"(value));
  if (get_local_id(0) % 32 != 0) return;
#endif
  if (value > *largest) atomic_max(largest, value);  // mostly the maximum is there already
}

static inline __global uint2* b_notes_of(__global uint* notes, const ulong notes_offset, const int a_notes,
                                         const ulong a_stride) {
  return (__global uint2*)(notes + notes_offset) + a_notes * (a_stride == 0 ? 1 : get_global_size(2));
}

static inline __global uint* is_done_word_of(__global uint* notes, const ulong notes_offset,
                                             const int a_notes, const ulong a_stride, const int b_notes,
                                             const ulong b_stride) {
  __global uint2* b = b_notes_of(notes, notes_offset, a_notes, a_stride);
  return (__global uint*)(b + b_notes * (b_stride == 0 ? 1 : get_global_size(2))) + get_global_id(2);
}

// Gathers the notes of both operands with `items` work-items: whole warps in one dimension. Each matrix has
// at least one note. All loads of both operands are in flight before the first is waited for, because the
// GEMM waits for them.
static inline void gather_all_notes(__local Extremes* extremes, __global uint* notes,
                                    const ulong notes_offset, const int a_notes, const ulong a_stride,
                                    const int b_notes, const ulong b_stride, const int item,
                                    const int items) {
  const size_t batch = get_global_id(2);
  __global const uint2* a =
      (__global const uint2*)(notes + notes_offset) + (a_stride == 0 ? 0 : batch * a_notes);
  __global const uint2* b =
      b_notes_of(notes, notes_offset, a_notes, a_stride) + (b_stride == 0 ? 0 : batch * b_notes);
  uint2 of_a = (uint2)(0, 0), of_b = (uint2)(0, 0);
  for (int first = item; first < max(a_notes, b_notes); first += NOTES_TOGETHER * items) {
    uint2 some[2 * NOTES_TOGETHER];
#pragma unroll
    for (int i = 0; i < NOTES_TOGETHER; ++i) {
      some[i] = a[min(first + i * items, a_notes - 1)];
      some[NOTES_TOGETHER + i] = b[min(first + i * items, b_notes - 1)];
    }
#pragma unroll
    for (int i = 0; i < NOTES_TOGETHER; ++i) {
      of_a = max(of_a, some[i]);
      of_b = max(of_b, some[NOTES_TOGETHER + i]);
    }
  }
  fold_note(&extremes->a_largest, of_a.x);
  fold_note(&extremes->a_smallest, of_a.y);
  fold_note(&extremes->b_largest, of_b.x);
  fold_note(&extremes->b_smallest, of_b.y);
}

// Gathers the notes with a one-dimensional work-group of `items`, from the initialization on. Contains
// barriers.
static inline void work_group_gathers_notes(__local Extremes* extremes, __global uint* notes,
                                            const ulong notes_offset, const int a_notes, const ulong a_stride,
                                            const int b_notes, const ulong b_stride, const int items) {
  if (get_local_id(0) == 0) *extremes = (Extremes){0, 0, 0, 0};
  barrier(CLK_LOCAL_MEM_FENCE);
  gather_all_notes(extremes, notes, notes_offset, a_notes, a_stride, b_notes, b_stride, get_local_id(0),
                   items);
  barrier(CLK_LOCAL_MEM_FENCE);
}

#define NO_KERNEL_BEFORE ULONG_MAX

// Returns true if the kernel that was launched before this one has done this work-group's GEMM. `before` is
// the offset of that kernel's words, or NO_KERNEL_BEFORE.
static inline bool is_done(__global const uint* notes, const ulong before) {
  return before != NO_KERNEL_BEFORE && notes[before + get_global_id(2)] != 0;
}

// Returns true if all GEMMs of the batch are done. A one-dimensional work-group of `items` calls it; `left`
// is a word of local memory for its use. Contains barriers.
static inline bool all_are_done(__local uint* left, __global const uint* notes, const ulong before,
                                const int items) {
  if (before == NO_KERNEL_BEFORE) return false;
  if (get_local_id(0) == 0) *left = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t product = get_local_id(0); product < get_global_size(2); product += items) {
    if (notes[before + product] == 0) *left = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return *left == 0;
}

// Tells the next kernels whether the GEMM is done, and returns that. The first work-group writes the word.
static inline bool leave_is_done(const bool done, __global uint* notes, const ulong notes_offset,
                                 const int a_notes, const ulong a_stride, const int b_notes,
                                 const ulong b_stride) {
  if (get_global_id(0) == 0 && get_global_id(1) == 0) {
    *is_done_word_of(notes, notes_offset, a_notes, a_stride, b_notes, b_stride) = done;
  }
  return done;
}

// Returns true if the kernel before has done the GEMM, and tells the next kernels. A kernel on planes
// begins with it.
static inline bool passes_on(__global uint* notes, const ulong notes_offset, const int a_notes,
                             const ulong a_stride, const int b_notes, const ulong b_stride,
                             const ulong before) {
  return is_done(notes, before) &&
         leave_is_done(true, notes, notes_offset, a_notes, a_stride, b_notes, b_stride);
}
