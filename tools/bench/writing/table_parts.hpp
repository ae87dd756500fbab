// What the table of a run and that of the ladder have in common.
#pragma once

#include <ostream>
#include <string>

#include "common/text_table.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// "PASSED", "FAILED" or "not checked".
std::string check_mark(const Figures& figures);

// "12.3 %"
std::string percent_of(double part);

// In place of figures: why there are none. `name` is for the first column, where it is not the kernel's.
void add_unmeasured(TextTable& table, const KernelResult& kernel, const std::string& name = {});
void add_unmeasured(TextTable& table, const PeerResult& peer);

std::string describe_device(const Facts& facts);
std::string describe_call(const Case& one);

void write_missing_peers(std::ostream& out, const Results& results);

// Over all shapes, what stands beside each peer. Nothing where there are fewer than two.
void write_summary(std::ostream& out, const Results& results);

// What else must be known of the figures of this shape.
void write_notes(std::ostream& out, const Results& results, const ShapeResult& shape);

}  // namespace clgemm::bench
