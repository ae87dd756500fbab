// Walks along k for common/slices.cl with asynchronous copies. The copies need no registers, and no
// instruction waits for them.
//
// The times are for an H200, best tiles against best tiles (November 2026). If no line can be read as float4,
// 5471 x 328 x 8895 and 8933 x 503 x 4630 take 9 and 3 % less than with loads through registers. 4095 x 4095
// x 1023 takes 1 % more. If lines can be read as float4, 4096 x 4096 x 1024 and 1000 x 1000 x 1000 take 2 and
// 4 % more.
#if COPIES < 3
#error "common/slices_async.cl needs 3 COPIES: two that are on their way while one is multiplied"
#endif

// The depths of a step at which copies begin.
#define COPY_A_AT (DEPTH / 8)
#define COPY_B_AT (3 * DEPTH / 8)

// Return the stage after `stage` in a ring of COPIES stages, and the distance to it.
static inline int next_stage(const int stage) {
  return stage == COPIES - 1 ? 0 : stage + 1;
}

static inline int way_to_next(const int stage) {
  return stage == COPIES - 1 ? -(COPIES - 1) * STAGE_SIZE : STAGE_SIZE;
}

// Adds up the products along k in registers. As in common/slices.cl, factors are read one depth ahead, even
// across the end of a tile.
static inline void multiply_slices(float4 sums[TM][TN / 4], __local float4* memory, const Lines a_lines,
                                   const Lines b_lines) {
  clear(sums);
  const int slice = get_local_id(0) / SLICE_ITEMS;
  const int item = get_local_id(0) % SLICE_ITEMS;

  // The first step along k may be shorter, so that no other step has to check the end of k.
  int steps_left = (a_lines.depth_left - 1) / BK;
  const int first_depth = a_lines.depth_left - steps_left * BK;
  a_tile a = a_tile_from(a_lines, 0, A_STRIDE);
  b_tile b = b_tile_from(b_lines, A_SIZE, B_STRIDE);
  copy_a_tile(&a, first_depth, (__local float*)memory, A_STRIDE, true);
  copy_b_tile(&b, first_depth, (__local float*)memory, B_STRIDE, true);
  ASYNC_COMMIT;
#pragma unroll
  for (int ahead = 1; ahead < COPIES - 1; ++ahead) {
    a.to += STAGE_SIZE;
    b.to += STAGE_SIZE;
    copy_a_tile(&a, BK, (__local float*)memory, A_STRIDE, steps_left >= ahead);
    copy_b_tile(&b, BK, (__local float*)memory, B_STRIDE, steps_left >= ahead);
    ASYNC_COMMIT;
  }
  a.to += STAGE_SIZE;
  b.to += STAGE_SIZE;

  // All addresses change from step to step. Otherwise compilers would compute them again in each step.
  int a_place = slice * DEPTH * A_STRIDE / 4 + row_of(item);
  int b_place = (A_SIZE + slice * DEPTH * B_STRIDE) / 4 + column_of(item);
  int multiplied = 0;  // stages of the ring
  int copied = COPIES - 1;
  ASYNC_WAIT(COPIES - 2);
  SLICES_BARRIER;
  Factors now;
  load_factors(&now, memory + a_place, memory + b_place);
  for (; steps_left > 0; --steps_left) {
    const bool is_wanted = steps_left >= COPIES - 1;
#pragma unroll
    for (int depth = 0; depth < DEPTH - 1; ++depth) {
      Factors next;
      load_factors(&next, memory + a_place + (depth + 1) * (A_STRIDE / 4),
                   memory + b_place + (depth + 1) * (B_STRIDE / 4));
      if (depth == COPY_A_AT) copy_a_tile(&a, BK, (__local float*)memory, A_STRIDE, is_wanted);
      if (depth == COPY_B_AT) {
        copy_b_tile(&b, BK, (__local float*)memory, B_STRIDE, is_wanted);
        ASYNC_COMMIT;  // each step has one group, even an empty one, so ASYNC_WAIT can count them
      }
      multiply_factors(sums, &now);
      now = next;
    }
    a.to += way_to_next(copied);
    b.to += way_to_next(copied);
    a_place += way_to_next(multiplied) / 4;
    b_place += way_to_next(multiplied) / 4;
    copied = next_stage(copied);
    multiplied = next_stage(multiplied);
    ASYNC_WAIT(COPIES - 2);
    SLICES_BARRIER;
    Factors next;
    load_factors(&next, memory + a_place, memory + b_place);
    multiply_factors(sums, &now);
    now = next;
  }
  multiply_last(sums, &now, memory + a_place, memory + b_place);
}
