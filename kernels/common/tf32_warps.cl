// The loop of a work-group that multiplies TF32 numbers on matrix units. An atom comes before it.
//
// A step is STEP depths. The rows of A and B are copied to local memory unchanged, STAGES - 1 steps ahead: by
// asynchronous copies on NVIDIA's GPUs. A warp computes WARP_M x WARP_N of the tile. It makes the parts of
// both operands itself, in registers. A tensor core truncates when it adds. So its sums start from zero again
// every 8 of k, and fp32 units add them up.
//
// An atom defines
// - BLOCK_M x BLOCK_N, the results of an instruction, and the type Results, those of a work-item, with
//   clear_results(), add_results(), keep_zero() (still_zero() for each of them) and is_zero();
// - B_BLOCKS, the blocks of columns that a warp loads together;
// - warp_lines(), which returns WarpLines: one operand of a warp in a stage;
// - load_rows() and load_columns() for RowsFragment and ColumnsFragment: what a work-item holds of BLOCK_M
//   rows or B_BLOCKS * BLOCK_N columns, 8 of k;
// - multiply_block(), which adds one of the three products to a block's results;
// - put_warp(), which puts a warp's sums into the tile in local memory.
#define ROW_STEPS (WARP_M / BLOCK_M)
#define COLUMN_STEPS (WARP_N / BLOCK_N)

// Adds the products of 8 of k, the small ones first, in fresh sums.
INLINED void multiply_eight(Results sums[ROW_STEPS][COLUMN_STEPS], Noticed* least, const WarpLines* a_lines,
                            const WarpLines* b_lines, const int depth) {
  ColumnsFragment b[COLUMN_STEPS / B_BLOCKS];
#pragma unroll
  for (int i = 0; i < COLUMN_STEPS / B_BLOCKS; ++i)
    load_columns(&b[i], &least->least_y, b_lines, i * B_BLOCKS * BLOCK_N, depth);
#pragma unroll
  for (int row = 0; row < ROW_STEPS; ++row) {
    RowsFragment a;
    Results fresh[COLUMN_STEPS];
    load_rows(&a, &least->least_x, a_lines, row * BLOCK_M, depth);
#pragma unroll
    for (int i = 0; i < COLUMN_STEPS; ++i) clear_results(&fresh[i]);
#pragma unroll
    for (int product = LOW_HIGH; product <= HIGH_HIGH; ++product) {
#pragma unroll
      for (int i = 0; i < COLUMN_STEPS; ++i)
        multiply_block(&fresh[i], &a, &b[i / B_BLOCKS], i % B_BLOCKS, product);
    }
#pragma unroll
    for (int i = 0; i < COLUMN_STEPS; ++i) add_results(&sums[row][i], &fresh[i]);
  }
}

// Hides from the compiler that an operand stays where it is. Otherwise it keeps the addresses of all copies
// from one step to the next. With tiles of 128 x 64, clang and ptxas then spilled 144 bytes on sm_80.
INLINED Source found_again(Source source) {
#if defined(__NV_CL_C_VERSION)
  ulong first = (ulong)source.first;
  asm volatile("" : "+l"(first), "+l"(source.ld));
  source.first = (const __global float*)first;
#endif
  return source;
}

INLINED void copy_step(__local float* memory, const int stage, const Source rows, const Source columns,
                       const int from) {
  const Shared place = shared_address(memory + stage * STAGE_FLOATS);
  const int item = get_local_id(0) % COPIERS;
  copy_lines(item, place, found_again(rows), A_ALONG_K, TILE_M, LINES_STRIDE(A_ALONG_K, TILE_M), from);
  copy_lines(item, place + 4 * LINES_FLOATS(A_ALONG_K, TILE_M), found_again(columns), B_ALONG_K, TILE_N,
             LINES_STRIDE(B_ALONG_K, TILE_N), from);
}

// Adds up the products along k.
INLINED void multiply_steps(Results sums[ROW_STEPS][COLUMN_STEPS], Noticed* least, __local float* memory,
                            const Source rows, const Source columns, const int warp_row,
                            const int warp_column) {
  WarpLines a = warp_lines(memory, warp_row, rows, A_ALONG_K, ALIGNED_A, LINES_STRIDE(A_ALONG_K, TILE_M));
  WarpLines b = warp_lines(memory + LINES_FLOATS(A_ALONG_K, TILE_M), warp_column, columns, B_ALONG_K,
                           ALIGNED_B, LINES_STRIDE(B_ALONG_K, TILE_N));
#pragma unroll
  for (int i = 0; i < ROW_STEPS * COLUMN_STEPS; ++i) clear_results(&sums[i / COLUMN_STEPS][i % COLUMN_STEPS]);
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage * STEP < rows.depth) copy_step(memory, stage, rows, columns, stage * STEP);
    copies_commit();
  }
  int stage = 0;
  for (int depth = 0; depth < rows.depth; depth += STEP) {
    COPIES_WAIT(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);  // all copies have arrived, and the stage that is filled next is free
    const int ahead = depth + (STAGES - 1) * STEP;
    if (ahead < rows.depth) copy_step(memory, stage == 0 ? STAGES - 1 : stage - 1, rows, columns, ahead);
    copies_commit();
#pragma unroll 2
    for (int i = 0; i < STEP; i += 8) multiply_eight(sums, least, &a, &b, i);
    const int to_next = stage == STAGES - 1 ? -(STAGES - 1) * STAGE_FLOATS : STAGE_FLOATS;
    a.place += to_next;
    b.place += to_next;
    stage = stage == STAGES - 1 ? 0 : stage + 1;
  }
  COPIES_WAIT(0);
}

// Computes the work-group's tile and stores it. `memory` has MEMORY_FLOATS floats.
INLINED void multiply_tile(const Multiply* call, __local float4* memory, __local Noticed* noticed,
                           const int first_row, const int first_column) {
  if (get_local_id(0) == 0) *noticed = (Noticed){UINT_MAX, UINT_MAX, 0};
  const Source rows = {call->a + (TRANSPOSE_A ? first_row : first_row * call->lda), call->lda,
                       call->m - first_row, call->k};
  const Source columns = {call->b + (TRANSPOSE_B ? first_column * call->ldb : first_column), call->ldb,
                          call->n - first_column, call->k};
  prefetch_tile_of_c(target_of(call, first_row, first_column), TILE_M, TILE_N, MULTIPLIERS);
  const int warp = get_local_id(0) / WARP;
  const int warp_row = warp / (TILE_N / WARP_N) * WARP_M;
  const int warp_column = warp % (TILE_N / WARP_N) * WARP_N;
  Results sums[ROW_STEPS][COLUMN_STEPS];
  Noticed least = {UINT_MAX, UINT_MAX, 0};
  multiply_steps(sums, &least, (__local float*)memory, rows, columns, warp_row, warp_column);
  Results zeros;
  clear_results(&zeros);
#pragma unroll
  for (int i = 0; i < ROW_STEPS * COLUMN_STEPS; ++i)
    keep_zero(&zeros, &sums[i / COLUMN_STEPS][i % COLUMN_STEPS]);
  least.is_strange = !is_zero(&zeros);
  if (least.least_x < noticed->least_x) atomic_min(&noticed->least_x, least.least_x);
  if (least.least_y < noticed->least_y) atomic_min(&noticed->least_y, least.least_y);
  if (least.is_strange) noticed->is_strange = 1;
  barrier(CLK_LOCAL_MEM_FENCE);  // all have read the last stage and left what they noticed
  if (is_exact(noticed)) {
    put_warp((__local float*)memory, sums, warp_row, warp_column);
    barrier(CLK_LOCAL_MEM_FENCE);
  } else {
    multiply_again(call, memory, first_row, first_column);
  }
  const Tile tile = {(const __local float*)memory, TILE_M, TILE_N, C_STRIDE, 1, 0};
  store_tile_of_c(target_of(call, first_row, first_column), tile, get_local_id(0), MULTIPLIERS);
}
