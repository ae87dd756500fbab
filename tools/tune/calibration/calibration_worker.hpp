// The process that measures for the calibration. It builds a config, or times it by calls back to back on an
// in-order queue. On a CPU, the host's clock counts. On a GPU, the GPU's clock counts, and the calls wait
// behind other work. So the host, whose machine is often shared, is always ahead. The host's time is measured
// separately.
#pragma once

#include <string>
#include <vector>

#include "choose/tuning.hpp"
#include "tune/calibration/fit.hpp"

namespace clgemm::tune {

// The questions and answers, each a line of JSON. A question to build only saves time later. If that build
// fails, the timing fails again.
std::string write_build_question(const Config& config, const std::vector<SampleShape>& shapes);

struct Timing {
  double seconds = 0.0;
  std::string failure;  // the reason if there are no times
};
// A config that takes three times `best_seconds` runs only once. `best_seconds` is 0 if it is unknown.
std::string write_timing_question(const SampleShape& shape, const Config& config, double best_seconds);
Timing read_timing(const std::string& line);

std::string write_host_question();
HostSeconds read_host(const std::string& line);

// Answers until standard input ends.
void run_calibration_worker(const std::string& device, const std::string& kernel_folder);

}  // namespace clgemm::tune
