// What the table of a run and that of the ladder have in common.
#pragma once

#include <ostream>
#include <string>

#include "common/text_table.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// "PASSED", "FAILED" or "not checked".
std::string check_mark(const Figures& figures);

// In place of figures: why there are none.
void add_unmeasured(TextTable& table, const KernelResult& kernel);
void add_unmeasured(TextTable& table, const PeerResult& peer);

std::string describe_device(const Facts& facts);
std::string describe_call(const Case& one);

// What else must be known of the figures of this shape.
void write_notes(std::ostream& out, const Results& results, const ShapeResult& shape);

}  // namespace clgemm::bench
