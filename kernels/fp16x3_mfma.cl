// clgemm: fp16x3_mfma
// summary: fp32 on the matrix units of AMD's CDNA 3: three products of fp16 planes, added in fp32
// operands: fp16_planes ITEMS=256
// fallback: fallback_fp32
// precision: fp32_equivalent
// least_k: 512
// param: BM = 128 in 64 128
// param: BN = 128 in 64 128
// param: WM = 64 in 32 64
// param: WN = 64 in 32 64
// tile: BM BN 32
// local: BM/WM*(BN/WN)*64
// grid: tiles
// products: 3
// estimate: BM BN WM WN: 128 128 64 64, 64 64 32 32
// require: arch(gfx942)
// require: BM/WM*(BN/WN) == 4   a wave for each matrix unit; its work-items copy a block at a time
// require: 128*(BM+BN) <= local_bytes
// calibrate: BM BN WM WN: 128 128 64 64, 64 64 32 32, 128 64 64 32, 64 128 32 64

// This kernel is unmeasured. It works as fp16x3_mma.cl does: three products of fp16 planes go into one sum
// from zero, the small products first, and fp32 units add these sums. Here each sum has 32 of k. Plain fp32
// is the fallback, because six bf16 products would be no faster.
//
// Planes can hold numbers that are denormal in fp16. CDNA 3 multiplies them, but CDNA 2 (gfx90a) takes
// them for zero, so the kernel requires CDNA 3. docs/platforms.md names the sources, and docs/accuracy.md
// says how the units round.
//
// An instruction of 4096 multiply-adds occupies a matrix unit for 16 clocks. In each step of 32 along k, a
// wave with 64 x 64 results has 96 of these instructions, and 16 reads of 16 bytes from local memory.
// Local memory has one copy of a step's blocks. So two work-groups fit a compute unit, and the matrix units
// work for one while the other one waits.
//
// fp16x3_wmma.cl and fp16x3_dpas.cl include this file behind an atom for another instruction.
#if !defined(BM) || !defined(BN) || !defined(WM) || !defined(WN)
#error "fp16x3_mfma needs BM, BN, WM and WN"
#endif
#if !defined(WAVE)
#include "common/mfma_f16.cl"
#endif
#include "common/arguments.cl"
#include "common/fp16_planes.cl"
#include "common/fp16_range.cl"
#include "common/mfma.cl"
#include "common/tile_order.cl"

// Sizes are in pieces of 16 bytes: 8 of k of a line in a plane.
#define STEP_BLOCKS 2                           // along k
#define STEP_DEPTH (STEP_BLOCKS * BLOCK_DEPTH)
#define BLOCK_PIECES (BLOCK_BYTES / 16)
#define GROUP_PIECES (GROUP_BYTES / 16)
#define PLANE_PIECES (PLANE_BYTES / 16)
#define CORE_PIECES (CORE_BYTES / 16)
#define M_BLOCKS (BM / BLOCK_LINES)
#define N_BLOCKS (BN / BLOCK_LINES)
#define A_PIECES (STEP_BLOCKS * M_BLOCKS * BLOCK_PIECES)
#define STEP_PIECES (STEP_BLOCKS * (M_BLOCKS + N_BLOCKS) * BLOCK_PIECES)
#define COPIES (STEP_PIECES / ITEMS)  // per work-item: one piece of each block

// An atom may define these. The defaults are for instructions that take a row of A from a work-item, as they
// do with a column of B.
#if !defined(FRAGMENT_ROW)
#define FRAGMENT_ROW(lane) ((lane) % 16)
#define PLACE_IN_ROWS(piece) (piece)
#endif
#if !defined(LOADS_AHEAD)  // whether a step's numbers are in registers during the step before
#define LOADS_AHEAD 1
#endif
#if !defined(STORES_FROM_REGISTERS)
#define STORES_FROM_REGISTERS 0
#endif

// The next blocks of the tile's first strips, from this work-item's piece on.
typedef struct {
  const __global uint4* a;
  const __global uint4* b;
  ulong strip;  // from one strip to the next
} Walk;

// Loads the pieces of a step that this work-item copies.
static inline void load_pieces(uint4 pieces[COPIES], const Walk walk) {
#pragma unroll
  for (int i = 0; i < COPIES; ++i) {
    const int strip = i / STEP_BLOCKS;
    const __global uint4* from =
        strip < M_BLOCKS ? walk.a + strip * walk.strip : walk.b + (strip - M_BLOCKS) * walk.strip;
    pieces[i] = from[i % STEP_BLOCKS * BLOCK_PIECES];
  }
}

// Stores these pieces: first all lines of A for 16 of k, then for the next 16 of k, then B's in the same way.
static inline void store_pieces(__local uint4* memory, const uint4 pieces[COPIES]) {
  const int item = get_local_id(0);
#pragma unroll
  for (int i = 0; i < COPIES; ++i) {
    const int strip = i / STEP_BLOCKS;
    const int block = i % STEP_BLOCKS;
    const int place = strip < M_BLOCKS ? block * M_BLOCKS + strip
                                       : STEP_BLOCKS * M_BLOCKS + block * N_BLOCKS + strip - M_BLOCKS;
    memory[place * BLOCK_PIECES + (strip < M_BLOCKS ? PLACE_IN_ROWS(item) : item)] = pieces[i];
  }
}

// The numbers that a work-item gives to the instructions of a step, from one line in one plane.
typedef struct {
  uint4 pieces[FRAGMENT_PIECES];
} Fragment;

// Returns the place of a work-item's first piece, in the high plane. `blocks`: of 64 lines, of this operand
// in the tile.
static inline int place_of_line(const int line, const int blocks) {
  return FIRST_PIECE(get_local_id(0) % WAVE, blocks) + line / 8 * GROUP_PIECES + line % 8;
}

static inline Fragment load_fragment(const __local uint4* line, const int blocks) {
  Fragment fragment;
#pragma unroll
  for (int i = 0; i < FRAGMENT_PIECES; ++i) fragment.pieces[i] = line[PIECE_PLACE(i, blocks)];
  return fragment;
}

// The same for the rows of a row of blocks.
static inline Fragment load_rows(const __local uint4* rows) {
#if defined(READ_ROWS)
  Fragment fragment;
#pragma unroll
  for (int i = 0; i < STEP_BLOCKS; ++i)
    READ_ROWS(fragment.pieces + i * FRAGMENT_PIECES / STEP_BLOCKS, rows + i * M_BLOCKS * BLOCK_PIECES);
  return fragment;
#else
  return load_fragment(rows, M_BLOCKS);
#endif
}

// Adds the products of a row of blocks. It does not matter which of k an instruction takes from a work-item,
// as long as they are the same for A and B. Products of other columns stand between two that add to the same
// sums.
static inline void add_products(Sum sums[BLOCKS_N], const Fragment a, const Fragment b[BLOCKS_N]) {
#pragma unroll
  for (int instruction = 0; instruction < STEP_INSTRUCTIONS; ++instruction) {
#pragma unroll
    for (int i = 0; i < BLOCKS_N; ++i)
      sums[i] = multiply_add_halves(a.pieces, b[i].pieces, instruction, sums[i]);
  }
}

// Adds the products of a step.
static inline void multiply_step(Sums sums, const __local uint4* a, const __local uint4* b) {
  Fragment b_high[BLOCKS_N], b_low[BLOCKS_N];
#pragma unroll
  for (int column = 0; column < BLOCKS_N; ++column) {
    const __local uint4* lines = b + column * BLOCK_COLUMNS / 8 * GROUP_PIECES;
    b_high[column] = load_fragment(lines, N_BLOCKS);
    b_low[column] = load_fragment(lines + PLANE_PIECES, N_BLOCKS);
  }
#pragma unroll
  for (int row = 0; row < BLOCKS_M; ++row) {
    const __local uint4* lines = a + row * SUMS_ROWS / 8 * GROUP_PIECES;
    const Fragment a_high = load_rows(lines);
    const Fragment a_low = load_rows(lines + PLANE_PIECES);
    Sum fresh[BLOCKS_N];
#pragma unroll
    for (int column = 0; column < BLOCKS_N; ++column) fresh[column] = (Sum)(0.0f);
    add_products(fresh, a_low, b_high);
    add_products(fresh, a_high, b_low);
#pragma unroll
    for (int column = 0; column < BLOCKS_N; ++column) fresh[column] *= LOW_SCALE;
    add_products(fresh, a_high, b_high);
#pragma unroll
    for (int column = 0; column < BLOCKS_N; ++column) sums[row][column] += fresh[column];
    END_ROW;
  }
}

// Walks along k. `row` and `column`: of the tile, for which this work-item gives numbers first.
static inline void multiply_steps(Sums sums, __local uint4* memory, Walk walk, const int k, const int row,
                                  const int column) {
  const __local uint4* a = memory + place_of_line(row, M_BLOCKS);
  const __local uint4* b = memory + A_PIECES + place_of_line(column, N_BLOCKS);
  uint4 pieces[COPIES];
  if (LOADS_AHEAD) load_pieces(pieces, walk);
  for (int left = k / STEP_DEPTH; left > 0; --left) {
    if (!LOADS_AHEAD) load_pieces(pieces, walk);
    barrier(CLK_LOCAL_MEM_FENCE);  // all have multiplied the step before
    store_pieces(memory, pieces);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int to_next = left > 1 ? STEP_BLOCKS * BLOCK_PIECES : 0;  // the last step is loaded twice
    walk.a += to_next;
    walk.b += to_next;
    if (LOADS_AHEAD) load_pieces(pieces, walk);
    LOADS_FIRST;
    multiply_step(sums, a, b);
  }
}

// Takes the planes' scales out of the sums. `a` and `b`: the tile's first strips. `row` and `column`: of this
// work-item's first result.
static inline void scale_sums(Sums sums, const __global char* a, const __global char* b, const ulong strip,
                              const int row, const int column) {
#pragma unroll
  for (int block = 0; block < BLOCKS_M; ++block) {
    const int line = row + block * SUMS_ROWS;
    const __global int* of_rows = (const __global int*)(a + line / BLOCK_LINES * strip) + line % BLOCK_LINES;
#pragma unroll
    for (int other = 0; other < BLOCKS_N; ++other) {
      const int of_column = exponent_of_line(b, strip, column + other * BLOCK_COLUMNS);
#pragma unroll
      for (int i = 0; i < ITEM_ROWS; i += 2) {
        Sum* sum = &sums[block][other];
        const int2 exponents = (int2)(of_rows[i * ROW_STEP], of_rows[(i + 1) * ROW_STEP]) + of_column;
        const float2 scaled = scaled_back((float2)((*sum)[i], (*sum)[i + 1]), EXPONENT_UNIT * exponents);
        (*sum)[i] = scaled.x;
        (*sum)[i + 1] = scaled.y;
      }
    }
  }
}

__kernel WAVE_ATTRIBUTE __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(GEMM_ARGUMENTS, NOTES_ARGUMENTS, const Numbers numbers) {
  UNPACK_NUMBERS;
  __local uint4 memory[STEP_PIECES];  // later the sums, which need less
  __local Extremes* extremes = (__local Extremes*)memory;  // before the first step
  if (passes_on(notes, notes_offset, a_notes, a_stride, b_notes, b_stride, before)) return;
  work_group_gathers_notes(extremes, notes, notes_offset, a_notes, a_stride, b_notes, b_stride, ITEMS);
  const bool is_exact = planes_are_exact(extremes, k);
  if (!leave_is_done(is_exact, notes, notes_offset, a_notes, a_stride, b_notes, b_stride)) return;
  const int2 tile = tile_position((m + BM - 1) / BM, (n + BN - 1) / BN, 8);
  const size_t batch = get_global_id(2);
  const ulong strip = strip_bytes(k);
  a += a_offset + batch * a_stride;
  b += b_offset + batch * b_stride;
  const __global char* a_strips = (const __global char*)a + tile.x * M_BLOCKS * strip;
  const __global char* b_strips = (const __global char*)b + tile.y * N_BLOCKS * strip;
  const Walk walk = {(const __global uint4*)(a_strips + HEADER_BYTES) + get_local_id(0),
                     (const __global uint4*)(b_strips + HEADER_BYTES) + get_local_id(0), strip / 16};

  const int2 wave = place_of_wave();
  const int lane = get_local_id(0) % WAVE;
  const int row = wave.x + FIRST_ROW(lane);
  const int column = wave.y + lane % BLOCK_COLUMNS;
  Sums sums;
  clear(sums);
  multiply_steps(sums, memory, walk, k, wave.x + FRAGMENT_ROW(lane), column);
  scale_sums(sums, a_strips, b_strips, strip, row, column);
  const int first_row = tile.x * BM;
  const int first_column = tile.y * BN;
  const Target target = {c + c_offset + batch * c_stride + first_row * ldc + first_column, ldc, m - first_row,
                         n - first_column, alpha, beta};
  if (STORES_FROM_REGISTERS) {
    store_from_registers(sums, target, row, column);
  } else {
    store_by_rows(sums, (__local float*)memory, target, row, column);
  }
}
