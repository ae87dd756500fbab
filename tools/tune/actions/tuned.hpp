// Actions of clgemm-tune on existing tuning data: it lists, forgets, exports and imports them.
#pragma once

#include "tune/command_line/options.hpp"

namespace clgemm::tune {

// Each returns the program's exit status.
int list_tuned(const TuneOptions& options);
int forget_tuned(const TuneOptions& options);
int export_tuning(const TuneOptions& options);
int import_tuning(const TuneOptions& options);

}  // namespace clgemm::tune
