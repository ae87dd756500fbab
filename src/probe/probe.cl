// Two kernels that measure the highest rates of a device. The probe at first use (src/probe) runs them, and
// so does clgemm-bench --ceilings, which adds one more kernel.
//
// `-D FLOATS`  The vector type of a work-item: the vectors of the CPU, or float4 on a GPU.
// `-D CHAINS`  The number of independent sums of a work-item. If there are enough of them, the multiply-add
//              units never wait for a result.

#ifndef FLOATS
#error "FLOATS is missing"
#endif
#ifndef CHAINS
#error "CHAINS is missing"
#endif

// Does CHAINS * rounds multiply-adds of whole vectors. `factor` and `summand` are arguments, so that no
// compiler can know the result.
kernel void multiply_add(global FLOATS* results, const int rounds, const float factor, const float summand) {
  FLOATS sums[CHAINS];
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) sums[i] = (FLOATS)(factor * (float)(i + 1));
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) sums[i] = sums[i] * factor + summand;
  }
  FLOATS total = (FLOATS)(0.0f);
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) total += sums[i];
  results[get_global_id(0)] = total;
}

// Reads `steps` vectors in each work-item, `passes` times. On a CPU, the vectors of one work-item are
// contiguous (step_stride is 1). On a GPU, those of neighbouring work-items are (item_stride is 1).
kernel void read_all(global const FLOATS* restrict from, global FLOATS* restrict results, const int steps,
                     const int item_stride, const int step_stride, const int passes) {
  const size_t first = get_global_id(0) * (size_t)item_stride;
  FLOATS sums[4] = {(FLOATS)(0.0f), (FLOATS)(0.0f), (FLOATS)(0.0f), (FLOATS)(0.0f)};
  for (int pass = 0; pass < passes; ++pass) {
    for (int step = 0; step < steps; step += 4) {
#pragma unroll
      for (int i = 0; i < 4; ++i) sums[i] += from[first + (size_t)(step + i) * step_stride];
    }
  }
  results[get_global_id(0)] = sums[0] + sums[1] + sums[2] + sums[3];
}
