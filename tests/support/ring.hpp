// Simulates rings of stages in local memory, which kernels fill with asynchronous copies, and finds errors
// that occur in some order of events, even a very rare one. A ring consists of the steps of each actor
// (warp), and of the barriers between them. A kernel's ring is written like the kernel's loops
// (ring_test.cpp).
//
// Actors continue one at a time, in any order. Copies that were started arrive in any order. The following
// are errors:
//
// - A stage is read while it does not have all of the intended step.
// - An actor arrives at a barrier in another phase than the intended one.
// - The ring ends while copies are in flight.
// - Nothing can continue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace clgemm::test {

// The next action of an actor. The words are those of PTX (mbarrier, cp.async).
struct Action {
  enum class Kind {
    wait,    // until the phase of `parity` of the barrier is complete, which is all that PTX can wait for
    expect,  // arrives at the barrier in this phase, and announces this many copies
    copy,    // starts to fill a part of a stage with a step; its arrival is reported to the barrier, if any
    commit,  // ends a group of this actor's copies
    wait_groups,  // until all but the last so many groups of this actor have arrived
    meet,         // a barrier of the whole work-group
    read,         // reads a stage, which must have this step during the whole read
    arrive        // arrives at the barrier in this phase
  };
  Kind kind;
  int barrier = -1;
  int parity = 0;
  int count = 0;
  int stage = 0;
  int part = 0;
  int step = 0;
  int phase = 0;  // as the kernel intends it; the barrier itself only knows the parity
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
  int parts = 1;              // parts of a stage that are copied one by one
  std::vector<int> arrivals;  // the number that completes a phase, for each barrier
  std::vector<Actions> actors;
};

// Tries all orders of events, and remembers the states that were seen. Returns what is wrong in one of them,
// or an empty text. Throws std::length_error if there are more states.
std::string fault_in_any_order(const Ring& ring, std::size_t most_states);

// Tries this many random orders of the seed.
std::string fault_in_random_orders(const Ring& ring, std::size_t count, std::uint64_t seed);

}  // namespace clgemm::test
