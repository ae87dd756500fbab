// The command line of clgemm-tune.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/size.hpp"
#include "tune/searching/search.hpp"

namespace clgemm::tune {

enum class Action {
  tune,
  calibrate,
  fit,
  regret,
  check,
  prepare,
  list,
  export_file,
  import_file,
  list_tuned,
  forget,
  work,
  work_for_calibration,
  work_for_preparing
};

struct TuneOptions {
  Action action = Action::tune;
  std::string device;
  std::vector<std::string> kernels = {"all"};
  std::string space;               // the name of a part of all configs; empty if it has no name
  bool own_choice = true;          // clgemm's own choice may win, too, with any kernels
  std::string kernel_folder;       // CLGEMM_KERNEL_DIR if the option is not given
  std::vector<bench::Size> sizes;  // empty means those of the shape classes
  bool transpose_a = false;
  bool transpose_b = false;
  SearchSettings search;
  double budget_s = 0.0;   // for the whole run; 0 means no limit
  double limit_s = 30.0;   // for one config
  std::string output;      // empty means the user's folder
  std::string other_file;  // the file of --export or --import
  bool fresh = false;
  bool quick = false;                  // calibrates with few configs and shapes
  std::size_t calibration_shapes = 0;  // 0 means the program's default
  std::string programs_to;             // a folder for the programs that --prepare compiled; empty means none
  std::string samples_to;              // a CSV file for the measurements of the calibration; empty means none
  std::string fit_from;                // the file that --fit or --regret reads
};

// The least number of shapes of a calibration. With fewer, the third that the fit does not use says little
// about its quality.
inline constexpr std::size_t least_shapes = 12;

// Returns nothing if the program's help was requested and printed. Throws bench::UsageError.
std::optional<TuneOptions> parse_options(int argc, char** argv);

// Returns the arguments for starting this program as a worker, on the same device with the same kernels.
std::vector<std::string> arguments_of_worker(std::vector<std::string> action, const TuneOptions& options);

}  // namespace clgemm::tune
