// clgemm-tune --calibrate and --fit: the coefficients of the speed model.
#pragma once

#include "tune/options.hpp"

namespace clgemm::tune {

// Each returns the program's exit status.
int calibrate(const TuneOptions& options);
int fit_samples(const TuneOptions& options);

}  // namespace clgemm::tune
