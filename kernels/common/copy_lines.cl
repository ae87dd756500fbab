// Lines of an operand, rows of op(A) or columns of op(B), from where the caller has them into local memory, STEP of k at a time,
// by asynchronous copies of COPIERS work-items, 16 bytes each wherever the operand lies. A row of memory that begins between two
// multiples of 16 bytes is copied from the one before, so that it lies up to 3 floats further in local memory: its shift.
// In floats singly, 128 x 4096 x 1024 took up to twice as long on an H200.
#include "common/ampere.cl"
#if !defined(STEP) || !defined(COPIERS)
#error "common/copy_lines.cl needs STEP and COPIERS"
#endif

typedef struct {
  __global const float* first;  // line 0, k 0
  ulong ld;                     // from one line to the next, or from one k to the next where neighbours are of different lines
  int lines, depth;             // that there are from there on
} Source;

// Whether the rows of a source have shifts.
static inline bool is_shifted(const Source source) {
  return (source.ld * 4 | (ulong)source.first) % 16 != 0;
}

// The shift of a row; the same for each 4th row, and at each step along k.
static inline int shift_of(const Source source, const int row) {
  return (int)(((ulong)source.first / 4 + row * source.ld) % 4);
}

// Starts the copies of `lines` lines from k `from` on, zeros where the matrix ends. A row of a stage is a line, STEP floats along k,
// or else all lines at one k; rows are `stride` floats apart, 4 or more than they have.
static inline void copy_lines(const uint stage, const Source source, const bool along_k, const int lines, const int stride,
                              const int from) {
  const int width = along_k ? STEP : lines;  // of a row
  const int rows = along_k ? lines : STEP;
  const int apart = COPIERS / (width / 4);
  const int left = source.depth - from;
  const int item = get_local_id(0) % COPIERS;
  const int x = item % (width / 4) * 4;
  const int y = item / (width / 4);
  const int valid = along_k ? left : source.lines;
  const int valid_rows = along_k ? source.lines : left;
  const __global float* first = source.first + (along_k ? from : from * source.ld);
  const __global float* place = first + y * source.ld + x - shift_of(source, y);
  const ulong step = apart * source.ld;
  uint to = stage + 4 * (y * stride + x);
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
  if (item < rows && is_shifted(source)) {  // what the shift has pushed out at the end of a row
    const int shift = shift_of(source, item);
    const int bytes = 4 * clamp(min(valid - width, 0) + shift, 0, 4);
    copy_some_of_16_async(stage + 4 * (item * stride + width), first + item * source.ld + width - shift,
                          item < valid_rows ? bytes : 0);
  }
}
