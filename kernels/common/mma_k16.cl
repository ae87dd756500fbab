// The atom of common/mma.cl for Ampere and later: an instruction for 16 of k, and asynchronous copies.
#include "common/ampere.cl"

// sums += (16 rows x 16 of k) * (16 of k x 8 columns).
static inline void mma(float* sums, const uint* a, const uint* b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." PLANE_TYPE "." PLANE_TYPE
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Nothing has to be kept between begin_copy() and end_copy().
typedef int Piece;

// Starts copy number i of a step. Past the last step it reads nothing and writes zeros. A branch would cost
// registers: with one, clang and ptxas spilled 16 to 24 bytes of both kernels on sm_80.
INLINED void begin_copy(Piece* piece, const Walk* walk, const uint stage, const int i, const bool is_there) {
  copy_some_of_16_by_l1(place_of_piece(stage, i), source_of_piece(walk, i), is_there ? 16 : 0);
}
INLINED void end_copy(const Piece* piece, const uint stage, const int i) {}

// Goes on to the copies of the next step.
INLINED void next_copies(Walk* walk, const bool is_there) {
  walk->a += BLOCK_BYTES;
  walk->b += BLOCK_BYTES;
  copies_commit();
}

#define WAIT_FOR_COPIES(left) COPIES_WAIT(left)
