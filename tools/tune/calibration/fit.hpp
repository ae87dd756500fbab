// The fit of the speed model: finds coefficients for each config and the rates of the device, so that the
// predictions are near the measurements.
#pragma once

#include <map>
#include <vector>

#include "kernel/config_cache.hpp"
#include "tune/calibration/samples.hpp"

namespace clgemm::tune {

struct Fitted {
  Rates rates;
  std::vector<ConfigRow> rows;
};

// The host's time for a call of one launch, and for each further launch.
struct HostSeconds {
  double call = 0.0;
  double launch = 0.0;
};

// Knowledge from before the measurements: a related device's coefficients. A fit scales all of them by one
// factor and starts with the result. It changes them only as far as the samples require it.
struct Prior {
  Rates rates;
  std::map<Config, ConfigSpeed> rows;  // empty if nothing was known
};

// The input of a fit besides the samples.
struct Known {
  HostSeconds host;
  Prior prior = {};
  HostRates way = {};  // rates of host matrices
};

// The resulting rates have the given rates of host matrices. The best sample decides the highest rate of the
// device. Samples of a GPU are seconds of the device, and `host` is copied into the rates. Those of a CPU are
// seconds of both, and the host's part is fitted. The fit minimizes squares of logarithmic errors. Large
// errors have less weight, and so do configs that are far from the fastest one of their shape. Configs with
// fewer than `least_samples` get no row.
inline constexpr std::size_t least_samples = 4;
Fitted fit(const std::vector<Sample>& samples, ConfigCache& configs, const Known& known);

// The time of the model's choice divided by that of the best measured config, over shapes.
struct Regret {
  double mean = 1.0;  // geometric
  double worst = 1.0;
  std::size_t shapes = 0;
};
Regret regret(const Fitted& fitted, const std::vector<Sample>& samples, ConfigCache& configs);

// The regret on every third shape with a fit on the others, and on the batches among these shapes.
struct HeldOut {
  Regret all;
  Regret batches;
};
HeldOut held_out_regret(const std::vector<Sample>& samples, ConfigCache& configs, const Known& known);

// Returns the rows of a table as a fit for this device, without those of missing kernels.
Fitted rows_of(const SpeedTable& table, ConfigCache& configs);

// The regret of a fit when each third of the shapes is predicted by a fit of the other two, and that of other
// rows on the same samples.
struct Comparison {
  Regret fit;
  Regret other;

  bool other_is_better() const { return other.shapes >= fit.shapes && other.mean < fit.mean; }
};
Comparison compare(const std::vector<Sample>& samples, ConfigCache& configs, const Known& known,
                   const Fitted& other);

// Returns for each sample the seconds that a fit on two thirds of the shapes predicts, without the sample's
// own shape. Configs without a row in it get 0.
std::vector<double> unseen_predictions(const std::vector<Sample>& samples, ConfigCache& configs,
                                       const Known& known);

}  // namespace clgemm::tune
