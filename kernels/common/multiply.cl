// The GEMM, as all work-groups of a launch see it, or one slice of it along k.
#include "common/store_tile.cl"

typedef struct {
  int m, n, k;
  float alpha, beta;
  __global const float* a;
  __global const float* b;
  __global float* c;
  ulong lda, ldb, ldc;
} Multiply;

// Returns C from an element on, for the tile that begins there.
static inline Target target_of(const Multiply* call, const int first_row, const int first_column) {
  const Target target = {call->c + first_row * call->ldc + first_column, call->ldc, call->m - first_row,
                         call->n - first_column, call->alpha, call->beta};
  return target;
}
