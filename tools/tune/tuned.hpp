// What clgemm-tune does with tuning data that is there: lists it, forgets it, hands it on and takes it over.
#pragma once

#include "tune/options.hpp"

namespace clgemm::tune {

// Each returns the program's exit status.
int list_tuned(const TuneOptions& options);
int forget_tuned(const TuneOptions& options);
int export_tuning(const TuneOptions& options);
int import_tuning(const TuneOptions& options);

}  // namespace clgemm::tune
