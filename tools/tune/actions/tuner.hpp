// Runs clgemm-tune after the command line was parsed.
#pragma once

#include "common/program.hpp"
#include "tune/command_line/options.hpp"

namespace clgemm::tune {

// Each function returns the program's exit status.
int tune(const TuneOptions& options);
int check_configs(const TuneOptions& options);
int list_spaces(const TuneOptions& options);

using bench::all_is_well;
using bench::bad_usage;
using bench::something_failed;

}  // namespace clgemm::tune
