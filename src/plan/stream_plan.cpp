#include "plan/stream_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/sizes.hpp"

namespace clgemm {
namespace {

// The parts for one GEMM are cut while they are larger than this size, which takes a millisecond to move.
// Nothing hides the time of the first and the last part. It is a guess, like the next two.
constexpr std::size_t worth_cutting_bytes = std::size_t{32} << 20;

// So many GEMMs hide the transfers before the first and after the last of them.
constexpr std::size_t enough_parts = 16;

// Tiles of this side run at full speed on an H200; larger tiles only begin later.
constexpr std::size_t largest_side = 4096;

// Deeper blocks only arrive later. On an H200, a step of C at this depth computes for 1.3 ms, and reading and
// writing C once more adds 0.03 ms.
constexpr std::size_t largest_depth = 8192;

// The smallest side to which limits may reduce a tile or a block.
constexpr std::size_t smallest_side = 16;

// Cuts at multiples of kernels' tiles, as long as something is left of the part.
std::size_t half_of(std::size_t size) {
  const std::size_t multiple = size > 1024 ? 256 : size > 128 ? 64 : smallest_side;
  return std::min(size, round_up(ceil_div(size, 2), multiple));
}

struct Cut {
  std::size_t rows, columns, depth;
};

std::size_t floats_of_a(const Cut& cut) {
  return clamped_product(cut.rows + 2 * widest_vector, cut.depth + 2 * widest_vector);
}
std::size_t floats_of_b(const Cut& cut) {
  return clamped_product(cut.columns + 2 * widest_vector, cut.depth + 2 * widest_vector);
}
std::size_t floats_of_c(const Cut& cut) {
  return clamped_product(cut.rows, block_ld(cut.columns));
}

std::size_t parts_of_cut(const Problem& problem, const Cut& cut) {
  return ceil_div(problem.m, cut.rows) * ceil_div(problem.n, cut.columns) * ceil_div(problem.k, cut.depth);
}

// Halves the longest side. Depth is the cheapest to keep large, because C is read and written once for each
// depth.
bool halve(Cut& cut, std::size_t depth_weight) {
  std::size_t& side = cut.depth / depth_weight > std::max(cut.rows, cut.columns) ? cut.depth
                      : cut.rows >= cut.columns                                  ? cut.rows
                                                                                 : cut.columns;
  const std::size_t half = half_of(side);
  if (half == side) return false;
  side = half;
  return true;
}

// Returns the cut that is best for speed alone.
Cut preferred_cut(const Problem& problem) {
  Cut cut{problem.m, problem.n, problem.k};
  constexpr std::size_t depth_weight = 4;
  const auto too_few = [&] {
    const std::size_t bytes = sizeof(float) * (floats_of_a(cut) + floats_of_b(cut) + floats_of_c(cut));
    return bytes > worth_cutting_bytes && parts_of_cut(problem, cut) < enough_parts;
  };
  while (cut.rows > largest_side || cut.columns > largest_side || too_few()) {
    if (!halve(cut, depth_weight)) break;
  }
  return cut;
}

// Makes a plan with `rounds` x `rounds_across` rounds.
StreamPlan in_rounds(const Problem& problem, const Cut& cut, std::size_t rounds, std::size_t rounds_across) {
  StreamPlan plan{problem, cut.rows, cut.columns, cut.depth};
  plan.round_rows = ceil_div(plan.rows_of_tiles(), rounds);
  plan.round_columns = ceil_div(plan.columns_of_tiles(), rounds_across);
  const std::size_t tiles = plan.round_rows * plan.round_columns;
  const bool is_all = rounds == 1 && rounds_across == 1;
  if (plan.depths() == 1) {
    // The first blocks of the next round arrive while the last blocks of this round are in use. Tiles leave
    // one by one.
    plan.a_blocks = std::min(plan.rows_of_tiles(), plan.round_rows + 1);
    plan.b_blocks = std::min(plan.columns_of_tiles(), plan.round_columns + 1);
    plan.c_blocks = std::min<std::size_t>(plan.rows_of_tiles() * plan.columns_of_tiles(), 4);
  } else {
    plan.a_blocks = 2 * plan.round_rows;
    plan.b_blocks = 2 * plan.round_columns;
    plan.c_blocks = tiles + (is_all ? 0 : 2);
  }
  return plan;
}

// Returns the scratch to leave. Packed copies of a tile's blocks take up to one and a half times their bytes,
// because there are three planes with two bytes an element. Split-K takes some of C's size. If there is
// little memory, GEMMs use less.
std::size_t scratch_for(const StreamPlan& plan, std::size_t limit) {
  return std::min(limit / 4, 2 * (plan.a_bytes() + plan.b_bytes()) + plan.c_bytes());
}

// Uses the rest of the memory for blocks of later rounds.
void fill(StreamPlan& plan, std::size_t limit) {
  const std::size_t scratch = scratch_for(plan, limit);
  const std::size_t bytes = limit - scratch;
  const auto hold_more = [&](std::size_t& blocks, std::size_t all, std::size_t block_bytes) {
    blocks += std::min(all - std::min(all, blocks), (bytes - plan.held_bytes()) / block_bytes);
  };
  hold_more(plan.a_blocks, plan.rows_of_tiles() * plan.depths(), plan.a_bytes());
  hold_more(plan.b_blocks, plan.columns_of_tiles() * plan.depths(), plan.b_bytes());
  plan.scratch_bytes = std::max(scratch, std::min(limit / 4, limit - plan.held_bytes()));
}

bool fits(const StreamPlan& plan, std::size_t limit) {
  return plan.held_bytes() <= limit - scratch_for(plan, limit);
}

// Returns the seconds that one device needs, for comparisons. It computes a round while the blocks of the
// next round arrive.
double compared_seconds(const StreamPlan& plan, const Rates& rates) {
  const double moved_bytes = rates.host.in(false);
  const double step = rates.host.call_seconds;  // a launch and its last, partial turn
  const auto floats = [](std::size_t rows, std::size_t columns) {
    return static_cast<double>(sizeof(float)) * static_cast<double>(rows) * static_cast<double>(columns);
  };
  const auto strips = static_cast<double>(ceil_div(plan.rows_of_tiles(), plan.round_rows));
  const auto parts = static_cast<double>(ceil_div(plan.columns_of_tiles(), plan.round_columns));
  const double c = floats(plan.m, plan.n);
  const double steps = static_cast<double>(plan.rows_of_tiles()) *
                       static_cast<double>(plan.columns_of_tiles()) * static_cast<double>(plan.depths());
  const double gemm = c / sizeof(float) * static_cast<double>(plan.k) / rates.multiply_adds +
                      2 * c * static_cast<double>(plan.depths()) / rates.adding_bytes + steps * step;
  const double a = floats(plan.m, plan.k) / strips, b = floats(plan.k, plan.n) / parts;
  const bool keeps_a = plan.a_blocks >= plan.round_rows * plan.depths();
  const bool keeps_b = plan.b_blocks >= plan.columns_of_tiles() * plan.depths();
  const auto round = [&](double bytes) { return std::max(gemm / strips / parts, bytes / moved_bytes); };
  const auto strip = [&](double b_brought) {
    return round(a + b_brought) + (parts - 1) * round((keeps_a ? 0 : a) + b_brought);
  };
  // Nothing hides the first blocks. Nothing hides the tiles of the last round either, if it is not small,
  // because they are computed during its last depth.
  const double first = static_cast<double>(plan.a_bytes() + plan.b_bytes()) / moved_bytes;
  const double last_depth = gemm / strips / parts / static_cast<double>(plan.depths());
  const double last = keeps_a ? 0 : std::max(0.0, c / strips / parts / moved_bytes - last_depth);
  return strip(b) + (strips - 1) * strip(keeps_b ? 0 : b) + first + last;
}

bool is_faster(const StreamPlan& plan, const StreamPlan& other, const Rates& rates) {
  return compared_seconds(plan, rates) < compared_seconds(other, rates);
}

bool is_one_round(const StreamPlan& plan) {
  return plan.round_rows == plan.rows_of_tiles() && plan.round_columns == plan.columns_of_tiles();
}

// Makes depths shorter if all of C stays on the device, because then each block is sent once, whatever its
// depth.
void begin_sooner(StreamPlan& plan, const Problem& problem, std::size_t limit) {
  if (!is_one_round(plan) || plan.depth <= largest_depth) return;
  Cut cut{plan.tile_rows, plan.tile_columns, plan.depth};
  while (cut.depth > largest_depth) cut.depth = half_of(cut.depth);
  StreamPlan sooner = in_rounds(problem, cut, 1, 1);
  if (!fits(sooner, limit)) return;
  fill(sooner, limit);
  plan = sooner;
}

// The numbers of rounds along a side that are tried; the last means rounds of one tile.
constexpr std::size_t some_counts[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 256, beyond_memory};

// Returns the best rounds that fit, for these tiles and depths.
std::optional<StreamPlan> best_rounds(const Problem& problem, const Cut& cut, const StreamLimits& limits,
                                      const Rates& rates) {
  const std::size_t largest = std::max({floats_of_a(cut), floats_of_b(cut), floats_of_c(cut)});
  if (largest > limits.max_allocation / sizeof(float)) return std::nullopt;
  std::optional<StreamPlan> best;
  for (const std::size_t rounds : some_counts) {
    for (const std::size_t across : some_counts) {
      StreamPlan plan = in_rounds(problem, cut, rounds, across);
      if (!fits(plan, limits.bytes)) continue;
      fill(plan, limits.bytes);
      if (!best || is_faster(plan, *best, rates)) best = plan;
      if (rounds * across == 1) return best;  // each block is sent once: nothing is better
    }
  }
  return best;
}

// Returns the best plan for these tiles, over all depths.
std::optional<StreamPlan> best_depth(const Problem& problem, Cut cut, const StreamLimits& limits,
                                     const Rates& rates) {
  std::optional<StreamPlan> best;
  for (;;) {
    const std::optional<StreamPlan> plan = best_rounds(problem, cut, limits, rates);
    if (plan && (!best || is_faster(*plan, *best, rates))) best = plan;
    const std::size_t half = half_of(cut.depth);
    if (half == cut.depth || (best && is_one_round(*best))) return best;
    cut.depth = half;
  }
}

// Gives each sharer a strip along the side with more tiles, with several rounds in it. Blocks that the rounds
// of a strip share stay on the device if there is room. Then the rounds get shorter towards the end, because
// nothing hides the transfer of the last round's results, or the wait of the others at the end.
void share(StreamPlan& plan, std::size_t sharers) {
  plan.sharers = sharers;
  plan.strips_of_rows = sharers == 1 || plan.rows_of_tiles() >= plan.columns_of_tiles();
  std::size_t& along = plan.strips_of_rows ? plan.round_rows : plan.round_columns;
  std::size_t& across = plan.strips_of_rows ? plan.round_columns : plan.round_rows;
  const std::size_t tiles_along = plan.strips_of_rows ? plan.rows_of_tiles() : plan.columns_of_tiles();
  const std::size_t tiles_across = plan.strips_of_rows ? plan.columns_of_tiles() : plan.rows_of_tiles();
  along = std::min(along, ceil_div(tiles_along, sharers));
  const std::size_t stay = plan.strips_of_rows ? plan.a_blocks : plan.b_blocks;
  plan.tapers = (sharers > 1 || plan.depths() > 1) && stay >= along * plan.depths();
  if (sharers > 1 && !plan.tapers) across = std::min(across, ceil_div(tiles_across, 4));
}

}  // namespace

std::size_t StreamPlan::rows_of_tiles() const {
  return ceil_div(m, tile_rows);
}
std::size_t StreamPlan::columns_of_tiles() const {
  return ceil_div(n, tile_columns);
}
std::size_t StreamPlan::depths() const {
  return ceil_div(k, depth);
}

std::size_t StreamPlan::a_bytes() const {
  return sizeof(float) * floats_of_a({tile_rows, tile_columns, depth});
}
std::size_t StreamPlan::b_bytes() const {
  return sizeof(float) * floats_of_b({tile_rows, tile_columns, depth});
}
std::size_t StreamPlan::c_bytes() const {
  return sizeof(float) * floats_of_c({tile_rows, tile_columns, depth});
}
std::size_t StreamPlan::held_bytes() const {
  return clamped_product(a_blocks, a_bytes()) + clamped_product(b_blocks, b_bytes()) +
         clamped_product(c_blocks, c_bytes());
}

std::size_t block_ld(std::size_t length) {
  return round_up(length, widest_vector);
}

StreamPlan plan_stream(const Problem& problem, const StreamLimits& limits, const Rates& rates) {
  std::optional<StreamPlan> best;
  Cut tiles = preferred_cut(problem);
  for (bool is_better = true; !best || is_better;) {
    const std::optional<StreamPlan> plan = best_depth(problem, tiles, limits, rates);
    is_better = plan && (!best || is_faster(*plan, *best, rates));
    if (is_better) best = plan;
    if ((best && is_one_round(*best)) || !halve(tiles, std::numeric_limits<std::size_t>::max())) break;
  }
  if (!best) {
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format("{} bytes of device memory are too few for host matrices, even in parts", limits.bytes),
        Argument::options);
  }
  begin_sooner(*best, problem, limits.bytes);
  share(*best, limits.sharers);
  return *best;
}

Traffic traffic_of(const StreamPlan& plan, bool reads_c) {
  const std::size_t rounds = ceil_div(plan.rows_of_tiles(), plan.round_rows);
  const std::size_t across = ceil_div(plan.columns_of_tiles(), plan.round_columns);
  // The operand that the rounds of a strip share stays if there is room for all of it. The other operand
  // stays if one device has all strips and room for all of that operand.
  const bool is_alone = plan.sharers == 1;
  const auto stays = [&](std::size_t blocks, bool strips, std::size_t of_strip, std::size_t all) {
    return blocks >= (strips ? of_strip : all) * plan.depths() && (strips || is_alone);
  };
  const bool keeps_a = stays(plan.a_blocks, plan.strips_of_rows, plan.round_rows, plan.rows_of_tiles());
  const bool keeps_b =
      stays(plan.b_blocks, !plan.strips_of_rows, plan.round_columns, plan.columns_of_tiles());
  const std::size_t c = clamped_product(plan.m * sizeof(float), plan.n);
  return {clamped_product(plan.m * sizeof(float), plan.k) * (keeps_a ? 1 : across),
          clamped_product(plan.k * sizeof(float), plan.n) * (keeps_b ? 1 : rounds), reads_c ? c : 0, c};
}

StreamSeconds seconds_of(const StreamPlan& plan, bool reads_c, bool is_pinned, double of_tile,
                         const HostRates& rates) {
  const auto part = [](std::size_t size, std::size_t tile) {
    return static_cast<double>(size) / static_cast<double>(std::min(size, tile));
  };
  const Traffic moved = traffic_of(plan, reads_c);
  const std::size_t tiles = plan.rows_of_tiles() * plan.columns_of_tiles();
  const double tile_of_c = static_cast<double>(moved.c_out) / static_cast<double>(tiles);
  const double first_of_c = reads_c ? tile_of_c : 0.0;
  const double in = static_cast<double>(moved.a + moved.b + moved.c_in);
  const double first = std::min(in, static_cast<double>(plan.a_bytes() + plan.b_bytes()) + first_of_c);
  const double hidden_out = static_cast<double>(moved.c_out) - tile_of_c;
  const double to = rates.in(is_pinned);
  const double from = rates.out(is_pinned);
  return {(in - first) / to,
          of_tile * part(plan.m, plan.tile_rows) * part(plan.n, plan.tile_columns) * part(plan.k, plan.depth),
          hidden_out / from, first / to + tile_of_c / from};
}

}  // namespace clgemm
