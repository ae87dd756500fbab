// Rings of stages in local memory, as kernels keep them full with asynchronous copies: a simulation that
// finds what goes wrong in some order of events, however rare. A ring is what each of its actors (warps)
// does, written down step by step, and the barriers between them; a kernel's ring is written as its loops are
// (ring_test.cpp).
//
// Actors go on one at a time, in any order. Copies that were started come in any order. Wrong is: a stage
// that is read while it does not hold the step that is meant, whole; an arrival at a barrier in another phase
// than the one that is meant; an end while copies are under way; and where nothing can go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace clgemm::test {

// What an actor does next. The words are those of PTX (mbarrier, cp.async).
struct Action {
  enum class Kind {
    wait,    // until the phase of `parity` of the barrier is complete: all that PTX lets an actor ask
    expect,  // so many copies, at the barrier, in this phase; and arrive there
    copy,    // start to fill a part of a stage with a step; the barrier, if any, is told when it has come
    commit,  // ends a group of this actor's copies
    wait_groups,  // until all but the last so many of this actor's groups have come
    meet,         // a barrier of the whole work-group
    read,         // a stage, which must have this step from the beginning to the end of it
    arrive        // at the barrier, in this phase
  };
  Kind kind;
  int barrier = -1;
  int parity = 0;
  int count = 0;
  int stage = 0;
  int part = 0;
  int step = 0;
  int phase = 0;  // as the kernel means it; the barrier itself knows no more of it than the parity
};

using Actions = std::vector<Action>;

Action wait_for(int barrier, int parity);
Action expect(int barrier, int copies, int phase);
Action copy(int stage, int part, int step, int barrier = -1);
Action commit();
Action wait_groups(int left);
Action meet();
Action read(int stage, int step);
Action arrive(int barrier, int phase);

struct Ring {
  int stages = 0;
  int parts = 1;              // of a stage, copied one by one
  std::vector<int> arrivals;  // of each barrier, that complete a phase
  std::vector<Actions> actors;
};

// All orders of events; the states that have been seen are remembered. Empty, or what is wrong in one of
// them. Throws std::length_error where there are more states.
std::string fault_in_any_order(const Ring& ring, std::size_t most_states);

// So many random orders, the seed's.
std::string fault_in_random_orders(const Ring& ring, std::size_t count, std::uint64_t seed);

}  // namespace clgemm::test
