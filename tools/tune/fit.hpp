// The fit of the speed model: coefficients for each config, and the rates of the device, such that the
// predictions come near to what was measured.
#pragma once

#include <map>
#include <vector>

#include "kernel/config_cache.hpp"
#include "tune/samples.hpp"

namespace clgemm::tune {

struct Fitted {
  Rates rates;
  std::vector<ConfigRow> rows;
};

// What the host takes for a call of one launch, and for each further launch.
struct HostSeconds {
  double call = 0.0;
  double launch = 0.0;
};

// What was known before anything was measured here: a relative's coefficients. A fit begins with them, once
// all have been made faster or slower by one factor, and leaves them as far as the samples ask for it.
struct Prior {
  Rates rates;
  std::map<Config, ConfigSpeed> rows;  // empty: nothing was known
};

// What a fit is made from, beside the samples.
struct Known {
  HostSeconds host;
  Prior prior = {};
  HostRates way = {};  // rates of host matrices
};

// The resulting rates have the given rates of host matrices. The best sample is the rate of the device at its
// best. Samples of a GPU are seconds of the device, and `host` goes into the rates as it is; those of a CPU
// are seconds of both, and the host's are found. Least squares of the logarithms, where what is off by much
// counts less, and what is far from the fastest of its shape, too. Configs of fewer than `least_samples` have
// no row.
inline constexpr std::size_t least_samples = 4;
Fitted fit(const std::vector<Sample>& samples, ConfigCache& configs, const Known& known);

// Shapes of a fit that is written: with fewer, the third that is held out says little of how good it is.
inline constexpr std::size_t least_shapes = 12;

// The time of what the model chooses over that of the best config measured, over shapes.
struct Regret {
  double mean = 1.0;  // geometric
  double worst = 1.0;
  std::size_t shapes = 0;
};
Regret regret(const Fitted& fitted, const std::vector<Sample>& samples, ConfigCache& configs);

// The regret on every third shape, fitted on the others; and on the batches among these shapes.
struct HeldOut {
  Regret all;
  Regret batches;
};
HeldOut held_out_regret(const std::vector<Sample>& samples, ConfigCache& configs, const Known& known);

// The rows of a table as a fit, for this device. Those of kernels that are not there are left out.
Fitted rows_of(const SpeedTable& table, ConfigCache& configs);

// The regret of a fit where each third of the shapes is predicted by a fit of the other two, and that of
// other rows on the same samples.
struct Comparison {
  Regret fit;
  Regret other;

  bool other_is_better() const { return other.shapes >= fit.shapes && other.mean < fit.mean; }
};
Comparison compare(const std::vector<Sample>& samples, ConfigCache& configs, const Known& known,
                   const Fitted& other);

// Of each sample, the seconds that a fit on two thirds of the shapes predicts, its own not among them; 0 for
// configs that it has no row for.
std::vector<double> unseen_predictions(const std::vector<Sample>& samples, ConfigCache& configs,
                                       const Known& known);

}  // namespace clgemm::tune
