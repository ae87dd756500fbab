// The kernel function that packs both operands (`role: pack_both`). The including file defines ITEMS and
//
//   uint2 pack_part(__local uint* memory, __global uint4* packed, Source source, int group, int groups)
//
// which packs the part of an operand that belongs to work-group `group` of `groups`. It returns this
// work-item's note: two words; only the maximum over all notes counts. `memory` is room for ITEMS uint2.
#include "common/notes.cl"
#include "common/packing.cl"

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void pack_both(const int depth, const int packed_depth, __global float* restrict packed,
               const int a_groups, const int a_lines, const int packed_a_lines,
               __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
               const int a_along_k, const ulong packed_a_offset, const ulong packed_a_stride,
               const int b_groups, const int b_lines, const int packed_b_lines,
               __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
               const int b_along_k, const ulong packed_b_offset, const ulong packed_b_stride,
               __global uint* restrict notes, const ulong notes_offset, const ulong before) {
  __local uint2 extremes[ITEMS];
  __local uint left;
  const int item = get_local_id(0);
  const size_t batch = get_global_id(2);
  const bool is_a = get_group_id(0) < a_groups;
  const ulong packed_stride = is_a ? packed_a_stride : packed_b_stride;
  if (batch > 0 && packed_stride == 0) return;  // the whole batch has one copy
  if (packed_stride == 0 ? all_are_done(&left, notes, before, ITEMS) : is_done(notes, before)) return;

  const ulong ld = is_a ? lda : ldb;
  const bool along_k = is_a ? a_along_k : b_along_k;
  __global const float* elements =
      is_a ? a + a_offset + batch * a_stride : b + b_offset + batch * b_stride;
  const bool fours = along_k && (size_t)elements % 16 == 0 && ld % 4 == 0;
  const Source source = {elements,
                         ld,
                         along_k,
                         fours,
                         is_a ? a_lines : b_lines,
                         depth,
                         is_a ? packed_a_lines : packed_b_lines,
                         packed_depth,
                         a_groups == 0 || b_groups == 0};
  __global uint4* to =
      (__global uint4*)(packed + (is_a ? packed_a_offset : packed_b_offset) + batch * packed_stride);
  const int group = is_a ? get_group_id(0) : get_group_id(0) - a_groups;
  const int groups = is_a ? a_groups : b_groups;

  extremes[item] = pack_part((__local uint*)extremes, to, source, group, groups);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int width = ITEMS / 2; width > 0; width /= 2) {
    if (item < width) extremes[item] = max(extremes[item], extremes[item + width]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // First come the notes of all A of the batch, then those of all B.
  const size_t a_copies = packed_a_stride == 0 ? 1 : get_global_size(2);
  const size_t note = is_a ? batch * a_groups + group : a_copies * a_groups + batch * b_groups + group;
  if (item == 0) ((__global uint2*)(notes + notes_offset))[note] = extremes[0];
}
