// The rows of a transposed A for `panels`: those of one depth lie together, and those of the next may be a page further.
// They are copied into local memory a block at a time, to two places by turns: while the micro-kernel reads its rows from
// one block, it copies the next along the way, a vector of rows each few steps of the depth. A block that is copied at
// once waits for memory, which was 8 % of a multiplication at 1024; so is only what is not copied by then, as the first.
#define TURNS 8  // of the micro-kernel, that a block serves
#define BLOCK_ROWS (TURNS * MR)
#define BLOCK_STEP ((BLOCK_ROWS + WIDTH - 1) / WIDTH * WIDTH)  // from one depth to the next
#define MOST_STEPS 16  // of the micro-kernel, from one copied vector to the next
// Where lda is a power of two, the lines of all depths fall into few sets of the cache: more drive each other out.
#define VECTORS_AHEAD 3

// Vectors for one run of the micro-kernel to copy: one each `every` steps, as long as those are before `end`.
typedef struct {
  __global const float* from;
  __local float* to;
  ulong lda;
  int every, end;
} Copying;

static inline Copying no_copying(const int depth_count) {
  const Copying none = {0, 0, 0, depth_count, 0};
  return none;
}

static inline void copy_vector(Copying* copying) {
  *(__local vector_t*)copying->to = LOAD_VECTOR(copying->from);
  copying->to += BLOCK_STEP;
  copying->from += copying->lda;
  PREFETCH(copying->from + VECTORS_AHEAD * copying->lda + WIDTH - 1);
}

#if TRANSPOSE_A
// The blocks of a work-group's rows, in one part of k.
typedef struct {
  __global const float* a;
  ulong lda;
  int row_count, depth_count;
  __local float* places;
  int every;         // steps from one vector to the next, so that all are copied in the turns of a block; 0 for none
  int next;          // row that the block to come begins with
  int rows, depths;  // of that block: those copied in all depths, and the depths in which the next WIDTH are
} Blocks;

// Counted by whole panels: with less to multiply, the micro-kernel is too short for that. A narrower last panel copies along,
// too, in each of its passes the same.
static inline Blocks blocks_of(__global const float* a, const ulong lda, const int row_count,
                               const int depth_count, __local float* places, const int whole_panels) {
  const int every = min(whole_panels * TURNS * WIDTH / BLOCK_STEP, MOST_STEPS);
  const Blocks blocks = {a, lda, row_count, depth_count, places, every, 0, 0, 0};
  return blocks;
}

// Copies rows at once.
__attribute__((noinline))
static void copy_rows(__local float* restrict to, __global const float* restrict from, const ulong lda,
                      const int row_count, const int depth_count) {
  const int whole = row_count / WIDTH * WIDTH;
  for (int depth = 0; depth < depth_count; ++depth) {
    for (int row = 0; row < whole; row += WIDTH) {
      *(__local vector_t*)(to + depth * BLOCK_STEP + row) = LOAD_VECTOR(from + depth * lda + row);
    }
    for (int row = whole; row < row_count; ++row) to[depth * BLOCK_STEP + row] = from[depth * lda + row];
  }
}

// Where a block's rows are or will be.
static inline __local float* place_of(const Blocks* blocks, const int row) {
  return blocks->places + row / BLOCK_ROWS % 2 * KC * BLOCK_STEP;
}

// The next MR rows, all of them copied.
static inline __local const float* rows_at(Blocks* blocks, const int row) {
  __local float* place = place_of(blocks, row);
  if (row == blocks->next) {
    const int row_count = min(blocks->row_count - row, BLOCK_STEP);
    if (blocks->rows < row_count) {
      copy_rows(place + blocks->rows, blocks->a + row + blocks->rows, blocks->lda, row_count - blocks->rows,
                blocks->depth_count);
    }
    blocks->next = row + BLOCK_ROWS;
    blocks->rows = blocks->depths = 0;
  }
  return place + row % BLOCK_ROWS;
}

// What to copy of the next block. It is as good as copied, for it is before it is needed.
static inline Copying next_copying(Blocks* blocks) {
  const int row = blocks->next + blocks->rows;
  if (blocks->every == 0 || blocks->rows == BLOCK_STEP || row + WIDTH > blocks->row_count) {
    return no_copying(blocks->depth_count);
  }
  const Copying copying = {blocks->a + blocks->depths * blocks->lda + row,
                           place_of(blocks, blocks->next) + blocks->depths * BLOCK_STEP + blocks->rows,
                           blocks->lda, blocks->every,
                           (blocks->depth_count - blocks->depths) * blocks->every};
  blocks->depths += (blocks->depth_count + blocks->every - 1) / blocks->every;
  if (blocks->depths >= blocks->depth_count) {
    blocks->rows += WIDTH;
    blocks->depths = 0;
  }
  return copying;
}
#endif
