// The data of the page, as JSON for its script. Rates, clocks, ratios and troubles follow the same rules as
// in the tables and are computed here. The script only draws them.
#pragma once

#include <string>
#include <vector>

#include "figures/results.hpp"
#include "figures/tuning_samples.hpp"

namespace clgemm::bench {

// Returns text that is safe inside a script element for any names in it. `samples` may be null.
std::string page_data(const std::vector<Results>& runs, const TuningSamples* samples);

}  // namespace clgemm::bench
