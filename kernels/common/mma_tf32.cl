// The atom of tf32x3_mma.cl: mma.sync for 16 rows x 8 columns of C and 8 of k. Numbers are two TF32 parts
// (common/tf32.cl). A warp reads its operands from local memory, where common/copy_lines.cl has put them.
//
// On other devices each work-item computes the same results from local memory, so that the kernel can be
// tested anywhere.
#include "common/tensor_store.cl"
#include "common/tf32_tile.cl"

#define BLOCK_M 16
#define BLOCK_N 8
#define B_BLOCKS 2
typedef float Results[4];

ALWAYS_INLINED void clear_results(Results* results) {
#pragma unroll
  for (int i = 0; i < 4; ++i) (*results)[i] = 0.0f;
}

ALWAYS_INLINED void add_results(Results* results, const Results* more) {
#pragma unroll
  for (int i = 0; i < 4; ++i) (*results)[i] += (*more)[i];
}

ALWAYS_INLINED void keep_zero(Results* zeros, const Results* results) {
#pragma unroll
  for (int i = 0; i < 4; ++i) (*zeros)[i] = still_zero((*zeros)[i], (*results)[i]);
}

ALWAYS_INLINED bool is_zero(const Results* zeros) {
  return (*zeros)[0] + (*zeros)[1] + (*zeros)[2] + (*zeros)[3] == 0.0f;
}

// One operand of a warp in a stage. All but the address is known to the compiler.
typedef struct {
  const __local float* place;
  Source source;
  int stride;    // floats from one row of the stage to the next
  bool along_k;  // a row of the stage is one line; otherwise it is one depth of all lines
  bool aligned;  // no row has a shift
} WarpLines;

#if defined(__NV_CL_C_VERSION)
// Returns the place from which a work-item reads lines, from line `first` on.
ALWAYS_INLINED WarpLines warp_lines(const __local float* stage, const int first, const Source source,
                                    const bool along_k, const bool aligned, const int stride) {
  const int lane = get_local_id(0) % 32;
  const int shift = aligned ? 0 : shift_of(source, along_k ? lane / 4 : lane % 4);
  const int place = !along_k  ? lane % 4 * stride + first + lane / 4 * 2
                    : aligned ? (first + lane % 16) * stride + lane / 16 * 4
                              : (first + lane / 4) * stride + lane % 4;
  const WarpLines lines = {stage + place + shift, source, stride, along_k, aligned};
  return lines;
}

// What a work-item holds of 16 lines x 8 of k: lines lane / 4 and the one 8 below, or two neighbours if rows
// are depths, because it can then read both at once. Any line may be any row or column of a fragment, as long
// as the results are stored accordingly. Number j has line j % 2 of these and depth lane % 4 + j / 2 * 4.
typedef struct {
  uint high[4], low[4];
} Fragment;

ALWAYS_INLINED void load_fragment(Fragment* fragment, uint* least, const WarpLines* lines, const int line,
                                  const int depth) {
  uint bits[4];
  const int stride = lines->stride;
  const __local float* place =
      lines->place + (lines->along_k ? line * stride + depth : depth * stride + line);
  if (lines->along_k && lines->aligned) {
    load_matrices(bits, shared_address(place));
  } else if (lines->along_k) {
#pragma unroll
    for (int j = 0; j < 4; ++j) bits[j] = as_uint(place[j % 2 * 8 * stride + j / 2 * 4]);
  } else {
#pragma unroll
    for (int j = 0; j < 4; j += 2) {
      const __local float* pair = place + j * 2 * stride;
      const uint2 both =
          lines->aligned ? *(const __local uint2*)pair : as_uint2((float2)(pair[0], pair[1]));
      bits[j] = both.x;
      bits[j + 1] = both.y;
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    *least = least_with(*least, bits[j]);
    fragment->high[j] = high_part(bits[j]);
    fragment->low[j] = low_part(bits[j], fragment->high[j]);
  }
}

// sums += one of the three products of 16 rows and 8 columns; `b` has 16 columns, and `block` says which 8.
ALWAYS_INLINED void multiply_block(Results* sums, const Fragment* a, const Fragment* b, const int block,
                        const int product) {
  const uint* rows = product == LOW_HIGH ? a->low : a->high;
  const uint* columns = (product == HIGH_LOW ? b->low : b->high) + block;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
               "{%8, %9}, {%0, %1, %2, %3};"
               : "+f"((*sums)[0]), "+f"((*sums)[1]), "+f"((*sums)[2]), "+f"((*sums)[3])
               : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(columns[0]), "r"(columns[2]));
}
#else
ALWAYS_INLINED WarpLines warp_lines(const __local float* stage, const int first, const Source source,
                                    const bool along_k, const bool aligned, const int stride) {
  const WarpLines lines = {stage + (along_k ? first * stride : first), source, stride, along_k, aligned};
  return lines;
}

// The lines themselves: a work-item reads what it needs when it multiplies.
typedef struct {
  WarpLines lines;
  int line, depth;
} Fragment;

ALWAYS_INLINED float element_of(const Fragment* fragment, const int line, const int depth) {
  const WarpLines* lines = &fragment->lines;
  const int beside = lines->along_k ? line : line % 8 * 2 + line / 8;  // as a warp's registers have them
  const int row = lines->along_k ? fragment->line + beside : fragment->depth + depth;
  const int in_row = lines->along_k ? fragment->depth + depth : fragment->line + beside;
  return lines->place[row * lines->stride + in_row + shift_of(lines->source, row)];
}

ALWAYS_INLINED void load_fragment(Fragment* fragment, uint* least, const WarpLines* lines, const int line,
                                  const int depth) {
  fragment->lines = *lines;
  fragment->line = line;
  fragment->depth = depth;
  for (int i = 0; i < 128; ++i) *least = least_with(*least, as_uint(element_of(fragment, i / 8, i % 8)));
}

ALWAYS_INLINED void multiply_block(Results* sums, const Fragment* a, const Fragment* b, const int block,
                        const int product) {
  const int lane = get_local_id(0) % 32;
  for (int i = 0; i < 4; ++i) {
    for (int depth = 0; depth < 8; ++depth) {
      const uint x = as_uint(element_of(a, lane / 4 + i / 2 * 8, depth));
      const uint y = as_uint(element_of(b, block * 8 + lane % 4 * 2 + i % 2, depth));
      const uint row = product == LOW_HIGH ? low_part(x, high_part(x)) : high_part(x);
      const uint column = product == HIGH_LOW ? low_part(y, high_part(y)) : high_part(y);
      (*sums)[i] += as_float(row) * as_float(column);
    }
  }
}
#endif

// Both operands have 16 lines in a fragment.
typedef Fragment RowsFragment;
typedef Fragment ColumnsFragment;
#define load_rows load_fragment
#define load_columns load_fragment

// Puts a warp's sums into the tile in local memory. Two neighbouring 8 columns of a fragment are even and odd
// columns if B's lines do not lie along k.
INLINED void put_warp(__local float* tile, const Results sums[WARP_M / BLOCK_M][WARP_N / BLOCK_N],
                      const int warp_row, const int warp_column) {
  const int lane = get_local_id(0) % 32;
  const int below = A_ALONG_K ? 8 : 1;
  const int first = warp_row + lane / 4 * (A_ALONG_K ? 1 : 2);
#pragma unroll
  for (int row = 0; row < WARP_M / BLOCK_M; ++row) {
#pragma unroll
    for (int i = 0; i < WARP_N / BLOCK_N; i += 2) {
#pragma unroll
      for (int lower = 0; lower < 2; ++lower) {
        __local float* to = tile + (first + row * 16 + lower * below) * C_STRIDE + warp_column + i * 8;
        const float* left = sums[row][i] + lower * 2;
        const float* right = sums[row][i + 1] + lower * 2;
        if (B_ALONG_K) {
          *(__local float2*)(to + lane % 4 * 2) = (float2)(left[0], left[1]);
          *(__local float2*)(to + 8 + lane % 4 * 2) = (float2)(right[0], right[1]);
        } else {
          *(__local float4*)(to + lane % 4 * 4) = (float4)(left[0], right[0], left[1], right[1]);
        }
      }
    }
  }
}
