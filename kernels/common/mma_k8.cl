// The atom of common/mma.cl for Turing: an instruction for 8 of k, and copies through registers, because
// Turing has no asynchronous copies. The pieces on their way need registers, so a warp has half as many
// columns as on Ampere. With 64, clang and ptxas spilled 120 to 256 bytes.

// sums += (16 rows x 16 of k) * (16 of k x 8 columns), in two instructions.
static inline void mma(float* sums, const uint* a, const uint* b) {
#pragma unroll
  for (int part = 0; part < 2; ++part)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32." PLANE_TYPE "." PLANE_TYPE
                 ".f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(a[2 * part]), "r"(a[2 * part + 1]), "r"(b[part]));
}

// A piece on its way. The load is in flight while products are computed.
typedef uint4 Piece;

INLINED void begin_copy(Piece* piece, const Walk* walk, const uint stage, const int i, const bool is_there) {
  *piece = *(const __global uint4*)source_of_piece(walk, i);
}
INLINED void end_copy(const Piece* piece, const uint stage, const int i) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(place_of_piece(stage, i)), "r"(piece->x),
               "r"(piece->y), "r"(piece->z), "r"(piece->w)
               : "memory");
}

// Goes on to the copies of the next step. The last step is copied again if there is none.
INLINED void next_copies(Walk* walk, const bool is_there) {
  walk->a += is_there ? BLOCK_BYTES : 0;
  walk->b += is_there ? BLOCK_BYTES : 0;
}

#define WAIT_FOR_COPIES(left)
