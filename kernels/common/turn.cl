// Positions in a ring of STAGES stages in local memory. A stage has two barriers, one after the other: `full`
// completes when the stage can be read, `empty` when it can be written again.
#if !defined(STAGES)
#error "a ring needs STAGES"
#endif

// A stage, and the parity of the phase to wait for.
typedef struct {
  int stage;
  uint parity;
} Turn;

static inline __attribute__((always_inline)) void next_turn(Turn* turn) {
  if (++turn->stage == STAGES) {
    turn->stage = 0;
    turn->parity ^= 1;
  }
}

static inline __attribute__((always_inline)) uint full_barrier(const uint barriers, const int stage) {
  return barriers + stage * 16;
}

static inline __attribute__((always_inline)) uint empty_barrier(const uint barriers, const int stage) {
  return barriers + stage * 16 + 8;
}
