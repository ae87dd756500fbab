// What the page shows, as JSON for its script. Rates, clocks, ratios and troubles are decided here by the
// same rules as in the tables; the script only draws them.
#pragma once

#include <string>
#include <vector>

#include "figures/results.hpp"
#include "figures/tuning_samples.hpp"

namespace clgemm::bench {

// Returns text that may stand inside a script element, whatever the names in it are. `samples` may be null.
std::string page_data(const std::vector<Results>& runs, const TuningSamples* samples);

}  // namespace clgemm::bench
