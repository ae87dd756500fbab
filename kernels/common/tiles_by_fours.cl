// Tiles of A and B that are copied as float4. The tile of A is transposed in local memory, so that the rows
// of one depth are next to each other, and a compiler can read four of them at a time. The code itself does
// not read float4, because block_2d_fours would then take 6 s instead of 0.1 s for 512 x 512 x 512 (PoCL 3.1,
// two AVX-512 cores, November 2026). For kernels with the parameters BM, BN, BK, TM and TN.
#define ITEMS (BM / TM * (BN / TN))
#define A_LOADS (BM * BK / 4 / ITEMS)  // number of float4 that one work-item moves for each tile
#define B_LOADS (BN * BK / 4 / ITEMS)

static inline void load_tiles(float4 a_next[A_LOADS], float4 b_next[B_LOADS], const int item,
                              const int tile_start, __global const float* restrict a, const ulong lda,
                              __global const float* restrict b, const ulong ldb) {
#pragma unroll
  for (int load = 0; load < A_LOADS; ++load) {
    const int four = item + load * ITEMS;
    a_next[load] = *(__global const float4*)(a + four / (BK / 4) * lda + tile_start + four % (BK / 4) * 4);
  }
#pragma unroll
  for (int load = 0; load < B_LOADS; ++load) {
    const int four = item + load * ITEMS;
    b_next[load] = *(__global const float4*)(b + (tile_start + four / (BN / 4)) * ldb + four % (BN / 4) * 4);
  }
}

static inline void store_tiles(__local float4 a_tile[BK][BM / 4], __local float4 b_tile[BK][BN / 4],
                               const int item, const float4 a_next[A_LOADS], const float4 b_next[B_LOADS]) {
#pragma unroll
  for (int load = 0; load < A_LOADS; ++load) {
    const int four = item + load * ITEMS;
    __local float* to = (__local float*)a_tile[four % (BK / 4) * 4] + four / (BK / 4);
    to[0] = a_next[load].x;
    to[BM] = a_next[load].y;
    to[2 * BM] = a_next[load].z;
    to[3 * BM] = a_next[load].w;
  }
#pragma unroll
  for (int load = 0; load < B_LOADS; ++load) {
    const int four = item + load * ITEMS;
    b_tile[four / (BN / 4)][four % (BN / 4)] = b_next[load];
  }
}

static inline void multiply_tiles(float sums[TM][TN], const __local float4 a_tile[BK][BM / 4],
                                  const __local float4 b_tile[BK][BN / 4], const int item_row,
                                  const int item_column) {
  for (int depth = 0; depth < BK; ++depth) {
    const __local float* a_elements = (const __local float*)a_tile[depth] + item_row;
    const __local float* b_elements = (const __local float*)b_tile[depth] + item_column;
    float a_column[TM];
    float b_row[TN];
#pragma unroll
    for (int row = 0; row < TM; ++row) a_column[row] = a_elements[row];
#pragma unroll
    for (int column = 0; column < TN; ++column) b_row[column] = b_elements[column];
#pragma unroll
    for (int row = 0; row < TM; ++row) {
#pragma unroll
      for (int column = 0; column < TN; ++column) {
        sums[row][column] = MULTIPLY_ADD(a_column[row], b_row[column], sums[row][column]);
      }
    }
  }
}
