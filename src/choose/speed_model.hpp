// The speed model predicts the seconds of a whole call, from the work of its plan and a few coefficients that
// were measured on the device (clgemm-tune --calibrate). Every choice by speed uses this number. No OpenCL.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

#include "base/rates.hpp"
#include "kernel/config_cache.hpp"
#include "plan/launches.hpp"
#include "plan/plan.hpp"
#include "plan/sharing.hpp"

namespace clgemm {

// The speed of a config. A work-group takes `begin`, and for each step of k `alone`, however few run on its
// compute unit. If that is longer, a step takes `share` for each work-group on the unit. Up to `residents`
// run there at a time, which is a turn. If a kernel takes shares, the steps are those of one element of C,
// and of the elements that cost_of_share() adds.
struct ConfigSpeed {
  double begin = 0.0;  // seconds
  double alone = 0.0;
  double share = 0.0;
  std::size_t residents = 1;
  double prepare = 0.0;  // the rows that cost as much as preparing a share
  // The steps are so many times as long if a kernel cannot read the lines of A and B four elements at a time.
  // If it can do so for one of them, the factor is the root of this.
  double unaligned = 1.0;
  // The steps are so many times as long if A is transposed, and if B is, for kernels that read them in place.
  double transposed_a = 1.0;
  double transposed_b = 1.0;
  // `alone` is so many times as long if A and B are too large for the device's cache, because a work-group
  // waits longer for its operands.
  double uncached = 1.0;
  // If the launch also adds up the slices along k, the last work-group of a tile takes so long for each
  // slice, in seconds. The default is for files without it.
  double part = 1e-7;
  // The part of `begin` that each further turn needs. Rows of kernels with `persistent` have it; for others,
  // Rates::repeated counts.
  std::optional<double> repeated = {};
};

// The work of one block's launches, as the speed model sees it.
struct Work {
  double launches = 0.0;
  double groups = 0.0;       // work-groups of the launch of the GEMM kernel
  double depth = 0.0;        // that each goes through
  double rest_groups = 0.0;  // the same for a launch for the last slice along k, if that is shorter
  double rest_depth = 0.0;
  bool is_persistent = false;  // a work-group may compute several tiles
  // If a work-group of a kernel for small k may compute several tiles: how many its compute unit computes
  // before the next row of tiles. Then work-groups begin again.
  double most_residents = std::numeric_limits<double>::infinity();
  double abreast = 1.0;        // work-groups that keep a whole compute unit busy; fewer take as long
  std::optional<Share> share;  // share of a work-group; none if it has a tile
  double pieces = 0.0;  // pieces of a transposed B's columns in a share, each as long as a panel is deep
  bool rows_collide = false;  // rows of A, in the cache of a CPU's core
  double tile_growth = 1.0;   // the factor by which a tile is larger than without transposes
  bool transposed_a = false;  // if the kernel reads it in place
  bool transposed_b = false;
  double unaligned = 0.0;  // the fraction of the operands that the kernel cannot read four elements at a time
  double operand_bytes = 0.0;  // A and B once each
  double bytes = 0.0;          // A and B once each, and C as often as its stores weigh
  double passes = 0.0;         // passes over memory that pack operands or add up slices
  double packed_bytes = 0.0;
  double added_bytes = 0.0;
  double parts = 0.0;  // slices that the launch of the GEMM kernel adds up, if there are several
};

// Adds up the launches of a block. For the stages after the first, only the launches count, because these
// stages usually have nothing to do.
Work work_of(const Plan& plan, const Block& block, DeviceKind kind);

struct Prediction {
  double gemm = 0.0;  // seconds of the device
  double packing = 0.0;
  double adding = 0.0;
  double launches = 0.0;
  double host = 0.0;  // seconds of the host, while the device works on the calls before

  double device() const { return gemm + packing + adding + launches; }
  double seconds() const { return std::max(host, device()); }
};

// Returns whether x is faster. If the host is the limit for both, the one that leaves the device more time is
// faster.
bool is_faster(const Prediction& x, const Prediction& y);

// Predicts one block.
Prediction predict(const Work& work, const ConfigSpeed& speed, const Rates& rates, std::size_t compute_units);

// Predicts all blocks of a plan.
Prediction predict(const Plan& plan, const ConfigSpeed& speed, const Rates& rates, DeviceKind kind);

// Changes the plan to the number of slices along k that takes the least time. There is one slice if the
// plan's kernel cannot split k, if its config has a number, and on CPUs, whose kernels go through all of k in
// blocks of their own.
Prediction split_in_best_slices(Plan& plan, const ConfigSpeed& speed, const Rates& rates,
                                ConfigCache& configs, std::size_t scratch_limit);

}  // namespace clgemm
