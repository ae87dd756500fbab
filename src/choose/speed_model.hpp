// The speed model: the seconds of a whole call, from the work that a plan makes of it and a handful of
// coefficients that were measured on the device (clgemm-tune --calibrate). Everything that is chosen by speed
// is chosen by this one number. No OpenCL.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/rates.hpp"
#include "kernel/config_cache.hpp"
#include "plan/launches.hpp"
#include "plan/plan.hpp"
#include "plan/sharing.hpp"

namespace clgemm {

// How fast a config is. A work-group of it takes `begin` and, for each step of k, `alone`, however few run on
// its compute unit, and `share` for each of those that run there, where these take longer together; up to
// `residents` do so at a time, a turn. Where a kernel takes shares, steps are those of an element of C,
// and of what cost_of_share() adds to them.
struct ConfigSpeed {
  double begin = 0.0;  // seconds
  double alone = 0.0;
  double share = 0.0;
  std::size_t residents = 1;
  double prepare = 0.0;    // rows that preparing a share costs as much as
  double unaligned = 1.0;  // so many times the steps where a kernel cannot read lines of A and B by fours;
                           // its root where it can those of one
};

// What the launches of one block do, as the speed model sees it.
struct Work {
  double launches = 0.0;
  double groups = 0.0;       // work-groups of the launch that multiplies
  double depth = 0.0;        // that each goes along
  double rest_groups = 0.0;  // the same of a launch for the last part of k, where that has less
  double rest_depth = 0.0;
  double abreast = 1.0;        // work-groups that keep all of a compute unit busy; fewer take as long
  std::optional<Share> share;  // of a work-group; none where it has a tile
  double pieces = 0.0;         // of a transposed B's columns, each as long as a panel is deep, in a share
  bool rows_collide = false;   // of A, in the cache of a CPU's core
  double tile_growth = 1.0;    // how many times as large as measured a tile is, and a step takes
  double unaligned = 0.0;      // the part of the operands that the kernel cannot read by fours
  double bytes = 0.0;          // of A and B, each touched once, and of C as often as its stores weigh
  double passes = 0.0;         // over memory: those that pack operands or add up parts
  double packed_bytes = 0.0;
  double added_bytes = 0.0;
};

// Adds up the launches of a block. Of what stands behind the first stage only the launches count: it mostly
// has nothing to do.
Work work_of(const Plan& plan, const Block& block, DeviceKind kind);

struct Prediction {
  double multiply = 0.0;  // seconds of the device
  double packing = 0.0;
  double adding = 0.0;
  double launches = 0.0;
  double host = 0.0;  // seconds of the host, while the device works on the calls before

  double device() const { return multiply + packing + adding + launches; }
  double seconds() const { return std::max(host, device()); }
};

// Of those for which the host is the limit, the one that leaves the device the most time.
bool is_faster(const Prediction& x, const Prediction& y);

// One block.
Prediction predict(const Work& work, const ConfigSpeed& speed, const Rates& rates, std::size_t compute_units);

// All blocks of a plan.
Prediction predict(const Plan& plan, const ConfigSpeed& speed, const Rates& rates, DeviceKind kind);

// Changes the plan to one that does k in as many parts as take the least time: in one where its kernel cannot
// split k or its config says how many, and on CPUs, whose kernels go along all of it in blocks of their own.
Prediction split_in_best_parts(Plan& plan, const ConfigSpeed& speed, const Rates& rates, ConfigCache& configs,
                               std::size_t scratch_limit);

}  // namespace clgemm
