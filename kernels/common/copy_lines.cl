// Lines of an operand, rows of op(A) or columns of op(B), from where the caller has them into local memory, STEP of k at a time,
// by asynchronous copies of COPIERS work-items, each of as many floats as lie aligned: 4, 2 or 1.
#include "common/ampere.cl"
#if !defined(STEP) || !defined(COPIERS)
#error "common/copy_lines.cl needs STEP and COPIERS"
#endif

typedef struct {
  __global const float* first;  // line 0, k 0
  ulong ld;                     // from one line to the next, or from one k to the next where neighbours are of different lines
  int lines, depth;             // that there are from there on
} Source;

// The floats that may be copied together wherever they are in the operand.
static inline int width_of(const Source source) {
  const ulong places = source.ld * 4 | (ulong)source.first;
  return places % 16 == 0 ? 4 : places % 8 == 0 ? 2 : 1;
}

// Where in a stage an element lies, in floats. Along k, lines of STEP floats, swizzled or not; else a line of all lines for each
// k, `stride` floats apart.
#define LINES_OF_STEP_SWIZZLED -1

// Pieces of 16 bytes in lines of 128, in an order in which 8 lines' pieces of one k are in different banks.
static inline uint swizzled(const uint line, const uint depth) {
  return line * STEP + ((depth / 4 ^ line % 8) * 4 + depth % 4);
}

static inline uint place_in_stage(const int stride, const uint y, const uint x) {
  return stride == LINES_OF_STEP_SWIZZLED ? swizzled(y, x) : y * stride + x;
}

static inline void copy_async(const uint to, const __global float* place, const int width) {
  if (width == 4) copy_16_async(to, (const __global char*)place);
  if (width == 2) copy_8_async(to, place);
  if (width == 1) copy_4_async(to, place);
}

static inline void copy_some_async(const uint to, const __global float* place, const int width, const int bytes) {
  if (width == 4) copy_some_of_16_async(to, place, bytes);
  if (width == 2) copy_some_of_8_async(to, place, bytes);
  if (width == 1) copy_some_of_4_async(to, place, bytes);
}

// copy_lines() of a width that the compiler knows.
static inline void copy_lines_by(const int width, const uint stage, const Source source, const bool along_k,
                                 const int lines, const int stride, const int from) {
  const int across = (along_k ? STEP : lines) / width;
  const int down = along_k ? lines : STEP;
  const int apart = COPIERS / across;
  const int left = source.depth - from;
  const int item = get_local_id(0) % COPIERS;
  const int x = item % across * width;
  const int y = item / across;
  const __global float* place = source.first + (along_k ? y * source.ld + from : (from + y) * source.ld) + x;
  const ulong step = apart * source.ld;
  if (lines <= source.lines && STEP <= left) {
#pragma unroll 8
    for (int i = 0; i < down / apart; ++i) {
      copy_async(stage + 4 * place_in_stage(stride, y + i * apart, x), place, width);
      place += step;
    }
  } else {
    const int bytes = 4 * clamp((along_k ? left : source.lines) - x, 0, width);
    const int most_down = along_k ? source.lines : left;
#pragma unroll 2
    for (int i = 0; i < down / apart; ++i) {
      copy_some_async(stage + 4 * place_in_stage(stride, y + i * apart, x), place, width,
                      y + i * apart < most_down ? bytes : 0);
      place += step;
    }
  }
}

// Starts the copies of `lines` lines from k `from` on; zeros where the matrix ends. Neighbours copy neighbours in memory, `x`
// counts those; and by `y` the next line or the next k.
static inline void copy_lines(const int width, const uint stage, const Source source, const bool along_k, const int lines,
                              const int stride, const int from) {
  if (width == 4) {
    copy_lines_by(4, stage, source, along_k, lines, stride, from);
  } else if (width == 2) {
    copy_lines_by(2, stage, source, along_k, lines, stride, from);
  } else {
    copy_lines_by(1, stage, source, along_k, lines, stride, from);
  }
}
