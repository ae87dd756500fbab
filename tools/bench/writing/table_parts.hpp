// The common parts of the table of a run and that of the ladder.
#pragma once

#include <ostream>
#include <string>

#include "common/text_table.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// Returns "PASSED", "FAILED" or "not checked".
std::string check_mark(const Figures& figures);

// "12.3 %"
std::string percent_of(double part);

// Returns how far the true median may be from this one, by the clock of the shape. Returns "-" if there was
// only one run.
std::string plus_minus(const ShapeResult& shape, const Figures& figures);
inline constexpr const char* meaning_of_plus_minus =
    "+-: how far the true median may be from this one, 95 times of 100.\n";

// Returns "on the device, from the first kernel's start to the last one's end", or "by the host's clock" and
// the reason.
std::string clock_in_words(const ShapeResult& shape);

// Writes the doubts about the figures of this run: a busy machine, single runs, rates above the peak.
void write_troubles(std::ostream& out, const Results& results);

// Adds a line that says why there are no figures. `name` is for the first column if it is not the kernel's.
void add_unmeasured(TextTable& table, const KernelResult& kernel, const std::string& name = {});
void add_unmeasured(TextTable& table, const PeerResult& peer);

std::string describe_device(const Facts& facts);
std::string describe_call(const Case& one);

void write_missing_peers(std::ostream& out, const Results& results);

// Compares with each peer over all shapes. Writes nothing if there are fewer than two shapes.
void write_summary(std::ostream& out, const Results& results);

// Writes further notes on the figures of this shape.
void write_notes(std::ostream& out, const Results& results, const ShapeResult& shape);

}  // namespace clgemm::bench
