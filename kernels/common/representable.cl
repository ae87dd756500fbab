// Whether products of bf16 planes stand for the fp32 product, by what each work-group of the packing noted of its part of
// an operand: the largest magnitude, and the complement of the smallest that is not zero, as bits.
//
// They do not where there is an Inf or a NaN (Inf times a plane that is 0 is a NaN); where a number is so small that its
// planes are below the smallest bf16; where a sum, of up to 2^30 products, may overflow, so that which Inf or NaN comes of
// it depends on the order of adding; and where a product may be so small that those of its planes, down to 2^-16 of it,
// are no fp32 numbers, which would also change the sign of a sum that is zero.
#define MOST_PRODUCT 0x1p97f
#define LEAST_PRODUCT 0x1p-133f
#define LEAST_BITS ((127 - 110) << 23)  // 2^-110
#define INFINITY_BITS 0x7f800000u
#define NOTES_TOGETHER 8  // that a work-item has on their way at a time

typedef struct {
  uint a_largest, a_smallest, b_largest, b_smallest;
} Extremes;

// Folds a matrix's notes, which `items` work-items share, into two words of local memory, which were 0.
static inline void gather_notes(volatile __local uint* largest, volatile __local uint* smallest,
                                __global const uint2* restrict notes, const int count, const int item,
                                const int items) {
  uint2 extremes = (uint2)(0, 0);
  for (int first = item; first < count; first += NOTES_TOGETHER * items) {
    uint2 some[NOTES_TOGETHER];
#pragma unroll
    for (int i = 0; i < NOTES_TOGETHER; ++i) some[i] = notes[min(first + i * items, count - 1)];
#pragma unroll
    for (int i = 0; i < NOTES_TOGETHER; ++i) extremes = max(extremes, some[i]);
  }
  if (extremes.x > *largest) atomic_max(largest, extremes.x);  // most find it done
  if (extremes.y > *smallest) atomic_max(smallest, extremes.y);
}

// The notes of all A of the batch, those of all B (an operand with stride 0 is one for the whole batch), and the verdicts,
// a word for each product: whether the multiply has done it.
static inline __global uint2* b_notes_of(__global uint* notes, const ulong notes_offset, const int a_notes,
                                         const ulong a_stride) {
  return (__global uint2*)(notes + notes_offset) + a_notes * (a_stride == 0 ? 1 : get_global_size(2));
}

static inline __global uint* is_exact_of(__global uint* notes, const ulong notes_offset, const int a_notes,
                                        const ulong a_stride, const int b_notes, const ulong b_stride) {
  __global uint2* b = b_notes_of(notes, notes_offset, a_notes, a_stride);
  return (__global uint*)(b + b_notes * (b_stride == 0 ? 1 : get_global_size(2))) + get_global_id(2);
}

static inline void gather_all_notes(__local Extremes* extremes, __global uint* notes, const ulong notes_offset,
                                    const int a_notes, const ulong a_stride, const int b_notes, const ulong b_stride,
                                    const int item, const int items) {
  const size_t batch = get_global_id(2);
  __global const uint2* a = (__global const uint2*)(notes + notes_offset);
  __global const uint2* b = b_notes_of(notes, notes_offset, a_notes, a_stride);
  gather_notes(&extremes->a_largest, &extremes->a_smallest, a + (a_stride == 0 ? 0 : batch * a_notes), a_notes, item,
               items);
  gather_notes(&extremes->b_largest, &extremes->b_smallest, b + (b_stride == 0 ? 0 : batch * b_notes), b_notes, item,
               items);
}

static inline bool planes_are_exact(const __local Extremes* extremes) {
  const uint a_smallest = ~extremes->a_smallest;
  const uint b_smallest = ~extremes->b_smallest;
  if (extremes->a_largest >= INFINITY_BITS || extremes->b_largest >= INFINITY_BITS) return false;
  if (a_smallest < LEAST_BITS || b_smallest < LEAST_BITS) return false;
  if (extremes->a_largest == 0 || extremes->b_largest == 0) return true;
  return as_float(extremes->a_largest) * as_float(extremes->b_largest) < MOST_PRODUCT &&
         as_float(a_smallest) * as_float(b_smallest) >= LEAST_PRODUCT;
}

// The same by the notes that a work-group has gathered; the first one leaves it to the kernel behind.
static inline bool multiply_is_exact(const __local Extremes* extremes, __global uint* notes, const ulong notes_offset,
                                     const int a_notes, const ulong a_stride, const int b_notes,
                                     const ulong b_stride) {
  const bool exact = planes_are_exact(extremes);
  if (get_global_id(0) == 0 && get_global_id(1) == 0) {
    *is_exact_of(notes, notes_offset, a_notes, a_stride, b_notes, b_stride) = exact;
  }
  return exact;
}

// All of it, for a work-group of `items` in one dimension. Has barriers.
static inline bool work_group_finds_exact(__local Extremes* extremes, __global uint* notes, const ulong notes_offset,
                                          const int a_notes, const ulong a_stride, const int b_notes,
                                          const ulong b_stride, const int items) {
  if (get_local_id(0) == 0) *extremes = (Extremes){0, 0, 0, 0};
  barrier(CLK_LOCAL_MEM_FENCE);
  gather_all_notes(extremes, notes, notes_offset, a_notes, a_stride, b_notes, b_stride, get_local_id(0), items);
  barrier(CLK_LOCAL_MEM_FENCE);
  return multiply_is_exact(extremes, notes, notes_offset, a_notes, a_stride, b_notes, b_stride);
}
