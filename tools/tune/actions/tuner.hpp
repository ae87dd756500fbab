// Runs clgemm-tune after the command line was parsed.
#pragma once

#include "tune/command_line/options.hpp"

namespace clgemm::tune {

// Each function returns the program's exit status.
int tune(const TuneOptions& options);
int check_configs(const TuneOptions& options);
int list_spaces(const TuneOptions& options);

inline constexpr int all_is_well = 0;
inline constexpr int something_failed = 1;
inline constexpr int bad_usage = 2;

}  // namespace clgemm::tune
