// `--suite`: lists of shapes that have a name, so that figures of different machines are of the same
// problems.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "common/size.hpp"
#include "data/host_data.hpp"

namespace clgemm::bench {

// seeds: the sizes of the tutorials and libraries that clgemm's kernels come from; shapes: square, odd, thin
// and deep ones, by the type of the device; dnn: layers of well-known networks.
std::vector<std::string> suite_names();

// The cases of one of them on this device; the transposes and gaps are those of `kind`, where the suite has
// none of its own.
std::vector<Case> cases_of_suite(const std::string& name, const MultiplyKind& kind, const Device& device);

// The kernels of these suites where the command line names none.
std::vector<std::string> kernels_of_suites(const std::vector<std::string>& suites);

// Layers of well-known networks as multiplies.
std::vector<Case> network_layers();

}  // namespace clgemm::bench
