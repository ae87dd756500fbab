// The rows of a transposed A for `panels`. Elements of one depth lie together, and those of the next depth
// may be a page further. So the rows are copied into local memory one block at a time, alternately to two
// places. While the micro-kernel reads rows from one block, it also copies the next block, one vector every
// few steps along k. Copying a block at once would wait for memory; that was 8 % of the time at size 1024.
// Only the part that is not copied in time, such as the first block, is copied at once.
#define TURNS 8  // calls of the micro-kernel for a block
#define BLOCK_ROWS (TURNS * MR)
#define BLOCK_STEP ((BLOCK_ROWS + WIDTH - 1) / WIDTH * WIDTH)  // distance from one depth to the next
#define MOST_STEPS 16  // between two copied vectors, in steps of the micro-kernel
// If lda is a power of two, the lines of all depths fall into few sets of the cache, and more vectors would
// evict each other.
#define VECTORS_AHEAD 3

// The vectors that one run of the micro-kernel copies: one every `every` steps, until `end`.
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
// The blocks of a work-group's rows, in one slice along k.
typedef struct {
  __global const float* a;
  ulong lda;
  int row_count, depth_count;
  __local float* places;
  // Steps between two vectors, so that all are copied during the turns of a block; 0 copies none.
  int every;
  int next;          // first row of the block to come
  // Rows of that block that are copied in all depths, and the depths in which the next WIDTH rows are copied.
  int rows, depths;
} Blocks;

// Returns the blocks with nothing copied. `every` follows from the whole panels, because the micro-kernel is
// too short to copy anything if it has less to multiply. A narrower last panel copies, too, and each of its
// passes copies as much.
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

// Returns the memory of a block's rows.
static inline __local float* place_of(const Blocks* blocks, const int row) {
  return blocks->places + row / BLOCK_ROWS % 2 * KC * BLOCK_STEP;
}

// Returns the next MR rows, after all of them have been copied.
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

// Returns what to copy of the next block, and counts it as copied, because it will be before it is needed.
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
