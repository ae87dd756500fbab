// The way of a GEMM on host matrices through a device with its own memory. C is cut into tiles, A and B into
// blocks that tiles share, and the device holds some of each at a time. Numbers only.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/rates.hpp"
#include "call/problem.hpp"

namespace clgemm {

struct StreamLimits {
  std::size_t bytes = 0;           // that the device may hold, including packed copies
  std::size_t max_allocation = 0;  // bytes
  std::size_t sharers = 1;         // devices that take rounds of this plan
};

// A tile of C stays on the device from its first GEMM to its last. Tiles are computed in rounds, which are
// rectangles of tiles. Each round goes through k from one depth to the next. So all tiles of a row in the
// round read the same block of A, and all tiles of a column the same block of B. Rounds follow each other in
// strips of rows of tiles, or of columns.
struct StreamPlan : GemmSize {
  std::size_t tile_rows = 0;
  std::size_t tile_columns = 0;
  std::size_t depth = 0;

  std::size_t round_rows = 1;     // at most, in tiles
  std::size_t round_columns = 1;  // at most, in tiles
  bool strips_of_rows = true;
  bool tapers = false;  // the rounds of a strip get shorter towards its end

  // The blocks that the device holds.
  std::size_t a_blocks = 1;
  std::size_t b_blocks = 1;
  std::size_t c_blocks = 1;

  std::size_t scratch_bytes = 0;  // left for packed copies
  std::size_t sharers = 1;        // devices that take rounds

  std::size_t rows_of_tiles() const;
  std::size_t columns_of_tiles() const;
  std::size_t depths() const;

  // Return the device memory of a block, for any layout, and that of all held blocks.
  std::size_t a_bytes() const;
  std::size_t b_bytes() const;
  std::size_t c_bytes() const;
  std::size_t held_bytes() const;
};

// Returns the distance between lines of a block on the device, in elements, for lines of `length`. Lines
// begin at multiples of any vector.
std::size_t block_ld(std::size_t length);

// Throws Error(out_of_memory) if the limit has no room for the smallest tiles.
StreamPlan plan_stream(const Problem& problem, const StreamLimits& limits, const Rates& rates);

// Bytes to the device, if each block is sent once a round, and back.
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
  double gemm = 0.0;
  double out = 0.0;
  double ends = 0.0;  // the first blocks of `in` and the last tile of `out`, which do not overlap

  double all() const { return ends + std::max({gemm, in, out}); }
};

// `of_tile` is the device time to compute one tile at one depth.
StreamSeconds seconds_of(const StreamPlan& plan, bool reads_c, bool is_pinned, double of_tile,
                         const HostRates& rates);

}  // namespace clgemm
