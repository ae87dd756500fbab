// How a multiply of host matrices goes through a device that has memory of its own: C is cut into tiles, A
// and B into blocks that tiles share, and the device holds some of each at a time. Numbers only.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/rates.hpp"
#include "call/problem.hpp"

namespace clgemm {

struct StreamLimits {
  std::size_t bytes = 0;           // that the device may hold, packed copies included
  std::size_t max_allocation = 0;  // bytes
  std::size_t sharers = 1;         // devices that take rounds of this plan
};

// A tile of C stays on the device from its first multiply to its last. Tiles are done in rounds, rectangles
// of them; each round goes over k from one depth to the next, so that a block of A is read by all tiles of
// its row in a round, a block of B by all of its column. Rounds follow each other in strips, of rows of tiles
// or of columns.
struct StreamPlan : GemmSize {
  std::size_t tile_rows = 0;
  std::size_t tile_columns = 0;
  std::size_t depth = 0;

  std::size_t round_rows = 1;     // tiles, at most
  std::size_t round_columns = 1;  // tiles, at most
  bool strips_of_rows = true;
  bool tapers = false;  // the rounds of a strip get shorter to its end

  // That the device holds.
  std::size_t a_blocks = 1;
  std::size_t b_blocks = 1;
  std::size_t c_blocks = 1;

  std::size_t scratch_bytes = 0;  // left for packed copies
  std::size_t sharers = 1;        // devices that take rounds

  std::size_t rows_of_tiles() const;
  std::size_t columns_of_tiles() const;
  std::size_t depths() const;

  // Device memory of a block, however it lies there, and of all that are held.
  std::size_t a_bytes() const;
  std::size_t b_bytes() const;
  std::size_t c_bytes() const;
  std::size_t held_bytes() const;
};

// Elements from one line of a block to the next on the device, where lines have `length`: lines begin where
// vectors may.
std::size_t block_ld(std::size_t length);

// Throws Error(out_of_memory) where the limit has no room for the smallest tiles.
StreamPlan plan_stream(const Problem& problem, const StreamLimits& limits, const Rates& rates);

// Bytes that go to the device, where each block is brought once a round; and back.
struct Traffic {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c_in = 0;
  std::size_t c_out = 0;
};
Traffic traffic_of(const StreamPlan& plan, bool reads_c);

// The seconds of the parts of a call that overlap: copies to the device, computing, and copies back.
struct StreamSeconds {
  double in = 0.0;
  double multiply = 0.0;
  double out = 0.0;
  double ends = 0.0;  // the first blocks of `in` and the last tile of `out`, which do not overlap

  double all() const { return ends + std::max({multiply, in, out}); }
};

// `of_tile` is the device time to compute one tile at one depth.
StreamSeconds seconds_of(const StreamPlan& plan, bool reads_c, bool is_pinned, double of_tile,
                         const HostRates& rates);

}  // namespace clgemm
