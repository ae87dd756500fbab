// The process that calibration measures in: builds a config, or times it, by calls back to back on an
// in-order queue. On a CPU by the host's clock. On a GPU by its own, behind other work, so that the host,
// which shares its machine with others more often than not, is always ahead; what the host takes is measured
// apart.
#pragma once

#include <string>
#include <vector>

#include "choose/tuning.hpp"
#include "tune/fit.hpp"

namespace clgemm::tune {

// What it is asked, and its answers, as a line of JSON each. To build is no more than to save time later:
// what fails there fails again.
std::string write_build_question(const Config& config);

struct Timing {
  double seconds = 0.0;
  std::string failure;  // why there are none
};
// A config that takes three times `best_seconds` (0: not known yet) has one run.
std::string write_timing_question(const SampleShape& shape, const Config& config, double best_seconds);
Timing read_timing(const std::string& line);

std::string write_host_question();
HostSeconds read_host(const std::string& line);

// Answers until standard input ends.
void run_calibration_worker(const std::string& device, const std::string& kernel_folder);

}  // namespace clgemm::tune
