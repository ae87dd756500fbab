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

// How far the true median may be from this one, by the clock of the shape; "-" where one run was made.
std::string plus_minus(const ShapeResult& shape, const Figures& figures);
inline constexpr const char* meaning_of_plus_minus =
    "+-: how far the true median may be from this one, 95 times of 100.\n";

// "on the device, from the first kernel's start to the last one's end", or by the host's clock, and why.
std::string clock_in_words(const ShapeResult& shape);

// What makes the figures of this run less than certain: a busy machine, single runs, rates above the peak.
void write_troubles(std::ostream& out, const Results& results);

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
