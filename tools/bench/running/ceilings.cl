// The kernel of --ceilings that src/probe/probe.cl does not have. This text is appended to that file. The arguments
// are those of read_all.
kernel void copy_all(global const FLOATS* restrict from, global FLOATS* restrict to, const int steps,
                     const int item_stride, const int step_stride, const int passes) {
  const size_t first = get_global_id(0) * (size_t)item_stride;
  for (int pass = 0; pass < passes; ++pass) {
    for (int step = 0; step < steps; step += 4) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const size_t index = first + (size_t)(step + i) * step_stride;
        to[index] = from[index];
      }
    }
  }
}
