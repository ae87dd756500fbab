// Describes a wrong result in words: the location, the work-group, and whether another run is wrong in the
// same way.
#pragma once

#include <string>
#include <vector>

#include "measuring/check.hpp"
#include "measuring/contestant.hpp"

namespace clgemm::bench {

// Describes the result `c` of a kernel's last run, and runs the kernel again.
std::string describe_wrong_result(Contestant& contestant, const std::vector<float>& c,
                                  const Reference& reference, const SgemmCall& call);

}  // namespace clgemm::bench
