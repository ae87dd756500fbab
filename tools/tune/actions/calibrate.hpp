// clgemm-tune --calibrate, --quick, --fit and --regret: determine the coefficients of the speed model.
#pragma once

#include "tune/command_line/options.hpp"

namespace clgemm::tune {

// Each function returns the program's exit status.
int calibrate(const TuneOptions& options);
int fit_samples(const TuneOptions& options);
int say_regret(const TuneOptions& options);

}  // namespace clgemm::tune
