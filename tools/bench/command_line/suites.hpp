// `--suite`: named lists of shapes, so that different machines measure the same problems.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "common/size.hpp"
#include "measuring/host_data.hpp"

namespace clgemm::bench {

// seeds: the sizes of the tutorials and libraries that clgemm's kernels come from. shapes: square, odd, thin
// and deep shapes, by the type of the device. dnn: layers of well-known networks.
std::vector<std::string> suite_names();

// Returns the cases of a suite on this device. They have the transposes and gaps of `kind`, unless the suite
// has its own.
std::vector<Case> cases_of_suite(const std::string& name, const GemmKind& kind, const Device& device);

// Returns the kernels of these suites, for a command line that names none.
std::vector<std::string> kernels_of_suites(const std::vector<std::string>& suites);

// Returns layers of well-known networks as GEMMs.
std::vector<Case> network_layers();

}  // namespace clgemm::bench
