#include "plan/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/sizes.hpp"

namespace clgemm {
namespace {

// The numbers of columns of shares that are tried. Every call pays for them: 8 take 4 microseconds, and
// trying all takes 28 (for 64 compute units).
constexpr std::size_t tries = 8;

// These values are used for all kernels. The speed model knows a value for each kernel. They were set with
// `panels` through PoCL, as were the next two; a work-group itself has a cost. On two AMD Zen 5 cores, 30
// shapes take 3 % less time with 10 rows than with 30; flat and thin shapes take 10 to 20 % less. 6 and 15
// rows are slower by 1 and 2 %. The rows and start times that the model has measured for each config lead to
// the same shares within measuring accuracy.
constexpr double rows_to_prepare = 10.0;
constexpr double columns_to_prepare = 4.0;
constexpr double group_cost = 65536.0;  // multiply-adds in the time that a work-group takes to begin

// In the last turn, some compute units wait for others that began later or are slower. This is the average
// wait, in turns.
constexpr double waiting = 0.05;

std::size_t largest(std::size_t tile, std::size_t unit) {
  return tile / unit * unit;
}

std::size_t share_of(std::size_t size, std::size_t count, std::size_t unit) {
  return round_up(ceil_div(size, std::max<std::size_t>(count, 1)), unit);
}

double time_of_shares(const SharedWork& work, const Share& share, std::size_t compute_units) {
  const double count = static_cast<double>(ceil_div(work.m, share.rows) * ceil_div(work.n, share.columns)) *
                       static_cast<double>(work.batch_count);
  const double turns = waiting + std::ceil(count / static_cast<double>(compute_units));
  const double one = cost_of_share(share, rows_to_prepare) + group_cost / static_cast<double>(work.k);
  return one * turns;
}

}  // namespace

double cost_of_share(const Share& share, double preparing_rows) {
  return (static_cast<double>(share.rows) + preparing_rows) *
         (static_cast<double>(share.columns) + columns_to_prepare);
}

Share best_share(const SharedWork& work, std::size_t compute_units) {
  const std::size_t fewest = ceil_div(work.n, largest(work.tile_columns, work.share_columns));
  const std::size_t most = std::min(ceil_div(work.n, work.share_columns), fewest + compute_units);
  const std::size_t step = std::max<std::size_t>((most - fewest) / tries, 1);
  Share best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t across = fewest; across <= most; across += step) {
    for (const std::size_t turns : {1U, 2U, 4U, 8U, 16U}) {
      const std::size_t down = std::max(turns * compute_units / clamped_product(across, work.batch_count),
                                        ceil_div(work.m, largest(work.tile_rows, work.share_rows)));
      const Share share{share_of(work.m, down, work.share_rows),
                        share_of(work.n, across, work.share_columns)};
      const double cost = time_of_shares(work, share, compute_units);
      if (cost >= least) continue;
      least = cost;
      best = share;
    }
  }
  return best;
}

}  // namespace clgemm
