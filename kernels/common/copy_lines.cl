// Lines of an operand, rows of op(A) or columns of op(B), from where the caller has them into local memory, STEP of k at a time,
// by asynchronous copies of COPIERS work-items: WIDTH floats a copy, 4 where all fours are aligned and whole, else 1.
#include "common/ampere.cl"
#if !defined(STEP) || !defined(COPIERS) || !defined(WIDTH)
#error "common/copy_lines.cl needs STEP, COPIERS and WIDTH"
#endif

typedef struct {
  __global const float* first;  // line 0, k 0
  ulong ld;                     // from one line to the next, or from one k to the next where neighbours are of different lines
  int lines, depth;             // that there are from there on
} Source;

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

// Starts the copies of `lines` lines from k `from` on; zeros where the matrix ends. Neighbours copy neighbours in memory, `x`
// counts those; and by `y` the next line or the next k.
static inline void copy_lines(const uint stage, const Source source, const bool along_k, const int lines, const int stride,
                              const int from) {
  const int across = (along_k ? STEP : lines) / WIDTH;
  const int down = along_k ? lines : STEP;
  const int apart = COPIERS / across;
  const int left = source.depth - from;
  const int item = get_local_id(0) % COPIERS;
  const int x = item % across * WIDTH;
  const int y = item / across;
  const __global float* place = source.first + (along_k ? y * source.ld + from : (from + y) * source.ld) + x;
  const ulong step = apart * source.ld;
  if (lines <= source.lines && STEP <= left) {
#pragma unroll
    for (int i = 0; i < down / apart; ++i) {
      const uint to = stage + 4 * place_in_stage(stride, y + i * apart, x);
      if (WIDTH == 4) copy_16_async(to, (const __global char*)place);
      if (WIDTH == 1) copy_4_async(to, place);
      place += step;
    }
  } else {
    const int bytes = 4 * clamp((along_k ? left : source.lines) - x, 0, WIDTH);
    const int most_down = along_k ? source.lines : left;
#pragma unroll 2
    for (int i = 0; i < down / apart; ++i) {
      const uint to = stage + 4 * place_in_stage(stride, y + i * apart, x);
      const int there = y + i * apart < most_down ? bytes : 0;
      if (WIDTH == 4) copy_some_of_16_async(to, place, there);
      if (WIDTH == 1) copy_some_of_4_async(to, place, there);
      place += step;
    }
  }
}
