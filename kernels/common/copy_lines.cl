// Copies lines of an operand (rows of op(A) or columns of op(B)) into local memory, STEP of k at a time.
// COPIERS work-items do it with asynchronous copies of 16 bytes, wherever the operand lies. If a row of
// memory does not begin at a multiple of 16 bytes, the copy begins at the multiple before it. The row then
// lies up to 3 floats further in local memory; this distance is its shift. Copies of single floats took up to
// twice as long for 128 x 4096 x 1024 (H200, November 2026).
#include "common/ampere.cl"
#if !defined(STEP) || !defined(COPIERS)
#error "common/copy_lines.cl needs STEP and COPIERS"
#endif

typedef struct {
  __global const float* first;  // line 0, k 0
  // The distance from one line to the next, or from one depth to the next if neighbours in memory belong to
  // different lines.
  ulong ld;
  int lines, depth;  // the lines and depths from there on
} Source;

// Returns true if the rows of a source have shifts.
static inline bool is_shifted(const Source source) {
  return (source.ld * 4 | (ulong)source.first) % 16 != 0;
}

// Returns the shift of a row. It is the same for every 4th row and at each step along k.
static inline int shift_of(const Source source, const int row) {
  return (int)(((ulong)source.first / 4 + row * source.ld) % 4);
}

// Starts the copies of `lines` lines from depth `from` on, and fills in zeros past the end of the matrix. All
// COPIERS work-items call it; this one has the number `item`. A row of a stage is STEP floats of one line if
// `along_k`, otherwise all lines at one depth. Rows are `stride` floats apart, which is at least 4 more than
// they hold.
static inline void copy_lines(const int item, const Shared stage, const Source source, const bool along_k,
                              const int lines, const int stride, const int from) {
  const int width = along_k ? STEP : lines;  // floats in a row
  const int rows = along_k ? lines : STEP;
  const int apart = COPIERS / (width / 4);
  const int left = source.depth - from;
  const int x = item % (width / 4) * 4;
  const int y = item / (width / 4);
  const int valid = along_k ? left : source.lines;
  const int valid_rows = along_k ? source.lines : left;
  const __global float* first = source.first + (along_k ? from : from * source.ld);
  const __global float* place = first + y * source.ld + x - shift_of(source, y);
  const ulong step = apart * source.ld;
  Shared to = stage + 4 * (y * stride + x);
  if (width <= valid && rows <= valid_rows) {
#pragma unroll 8
    for (int i = 0; i < rows / apart; ++i) {
      copy_16_async(to, (const __global char*)place);
      place += step;
      to += 4 * apart * stride;
    }
  } else {
    const int bytes = 4 * clamp(valid + shift_of(source, y) - x, 0, 4);
#pragma unroll 2
    for (int i = 0; i < rows / apart; ++i) {
      copy_some_of_16_async(to, place, y + i * apart < valid_rows ? bytes : 0);
      place += step;
      to += 4 * apart * stride;
    }
  }
  // Copies the floats that the shift has pushed past the end of the row.
  if (item < rows && is_shifted(source)) {
    const int shift = shift_of(source, item);
    const int bytes = 4 * clamp(min(valid - width, 0) + shift, 0, 4);
    copy_some_of_16_async(stage + 4 * (item * stride + width), first + item * source.ld + width - shift,
                          item < valid_rows ? bytes : 0);
  }
}
