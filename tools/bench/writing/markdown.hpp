// `--markdown FILE...`: results as tables in Markdown, for docs/results.md.
#pragma once

#include <ostream>
#include <vector>

#include "figures/results.hpp"

namespace clgemm::bench {

// For each device: its name and what was run on it, a table of all shapes beside the peers, and the ladder of
// kernels where one was climbed.
void write_markdown(std::ostream& out, const std::vector<Results>& runs);

}  // namespace clgemm::bench
