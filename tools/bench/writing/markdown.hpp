// `--markdown FILE...`: writes results as tables in Markdown, for docs/results.md.
#pragma once

#include <ostream>
#include <vector>

#include "figures/results.hpp"

namespace clgemm::bench {

// Writes for each device its name and its programs, a table of all shapes with the peers, and the ladder of
// kernels if it was measured.
void write_markdown(std::ostream& out, const std::vector<Results>& runs);

}  // namespace clgemm::bench
