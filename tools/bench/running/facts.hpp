// What must be known of a run besides its figures, for whoever reads them later and elsewhere.
#pragma once

#include <string>

#include "base/opencl.hpp"

namespace clgemm::bench {

struct Facts {
  std::string date;            // of the run's begin, ISO 8601 in UTC
  std::string host;            // the name of the host's processor
  std::string clgemm_version;  // "0.1.0"
  std::string timer;           // the clocks, with their resolution
};

Facts facts_now(const cl::Device& device);

}  // namespace clgemm::bench
