#include "plan/sharing.hpp"

#include <algorithm>
#include <limits>

namespace clgemm {
namespace {

// Shares of a block for a kernel that takes any, so that all compute units are busy to the end. Costs are
// counted in elements of C a step of k. A work-group prepares its columns of B for all its rows, which costs
// as much as some rows more would, and itself costs something.
class Sharing {
 public:
  explicit Sharing(const Plan& plan) : plan_(plan), kernel_(*plan.multiply) {}

  void choose(std::size_t& rows, std::size_t& columns) const {
    const std::size_t fewest = groups(plan_.block_n, largest(kernel_.tile_columns, kernel_.share_columns));
    const std::size_t most =
        std::min(groups(plan_.block_n, kernel_.share_columns), fewest + plan_.compute_units);
    double best = std::numeric_limits<double>::infinity();
    const std::size_t step = std::max<std::size_t>((most - fewest) / tries, 1);
    for (std::size_t across = fewest; across <= most; across += step) {
      const std::size_t share_columns = share(plan_.block_n, across, kernel_.share_columns);
      for (const std::size_t turns : {1U, 2U, 4U, 8U, 16U}) {
        const std::size_t down =
            std::max(turns * plan_.compute_units / (across * plan_.block_batch),
                     groups(plan_.block_m, largest(kernel_.tile_rows, kernel_.share_rows)));
        const std::size_t share_rows = share(plan_.block_m, down, kernel_.share_rows);
        const double cost = cost_of(share_rows, share_columns);
        if (cost >= best) continue;
        best = cost;
        rows = share_rows;
        columns = share_columns;
      }
    }
  }

 private:
  static constexpr std::size_t tries = 8;  // of numbers of shares across: every call pays for them
  static constexpr double waiting = 0.05;  // of a turn, on average
  static constexpr double rows_to_prepare = 30.0;
  static constexpr double columns_to_prepare = 4.0;
  static constexpr double group_cost = 65536.0;  // multiply-adds in the time that a work-group takes to begin

  static std::size_t groups(std::size_t size, std::size_t part) { return (size + part - 1) / part; }
  static std::size_t largest(std::size_t tile, std::size_t unit) { return tile / unit * unit; }
  static std::size_t share(std::size_t size, std::size_t count, std::size_t unit) {
    return round_up(groups(size, std::max<std::size_t>(count, 1)), unit);
  }

  // In the last turn some compute units wait for others that began later or are slower.
  double cost_of(std::size_t rows, std::size_t columns) const {
    const std::size_t count =
        groups(plan_.block_m, rows) * groups(plan_.block_n, columns) * plan_.block_batch;
    const double turns = waiting + static_cast<double>(groups(count, plan_.compute_units));
    const double one =
        (static_cast<double>(rows) + rows_to_prepare) * (static_cast<double>(columns) + columns_to_prepare) +
        group_cost / static_cast<double>(plan_.block_k);
    return one * turns;
  }

  const Plan& plan_;
  const KernelConfig& kernel_;
};

}  // namespace

void divide_among_groups(Plan& plan) {
  const KernelConfig& kernel = *plan.multiply;
  plan.group_rows = kernel.tile_rows;
  plan.group_columns = kernel.tile_columns;
  if (kernel.manifest().takes_shares()) Sharing(plan).choose(plan.group_rows, plan.group_columns);
}

}  // namespace clgemm
