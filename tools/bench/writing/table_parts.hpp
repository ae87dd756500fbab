// The common parts of the tables of results.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "common/text_table.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// A line of a table: a kernel, a peer, or a loop on the host.
struct ResultLine {
  const ShapeResult& shape;
  std::string name;
  std::string parameters;  // or the version of a peer
  const Figures& figures;
  std::string not_measured;  // says why there are no figures
};

// Returns a line for each kernel, and then for each peer. The shape must outlive them.
std::vector<ResultLine> lines_of(const ShapeResult& shape);

struct ResultColumn {
  TextColumn head;
  std::function<std::string(const ResultLine&)> cell;
};

// `rank`: see TextColumn.
ResultColumn column(const std::string& title, int rank, std::function<std::string(const ResultLine&)> cell);
ResultColumn figure_column(const std::string& title, int rank, std::optional<double> Figures::*member);

// Returns a column of speed-ups. `base` returns the figures with which those of a line are compared.
ResultColumn speed_up_column(const std::string& title, int rank,
                             const std::function<Figures(const ResultLine&)>& base);
ResultColumn speed_up_beside(const std::string& peer);

// Returns columns for name, parameters, time and rate, then `ratios`, then for the check.
std::vector<ResultColumn> columns_with(const std::string& time_title,
                                       const std::vector<ResultColumn>& ratios);

// Highlights the line with the figures `marked`.
void print_table(std::ostream& out, const std::vector<ResultColumn>& columns,
                 const std::vector<ResultLine>& lines, const Figures* marked = nullptr);

// "12.3 %"
std::string percent_of(double part);

inline constexpr const char* meaning_of_plus_minus =
    "+-: with 95 % confidence, the true median is within this distance.\n";

// Returns "on the device, from the first kernel's start to the last one's end", or "by the host's clock" and
// the reason.
std::string clock_in_words(const ShapeResult& shape);

// If a kernel has fewer runs than were requested, says why.
void write_fewer_runs(std::ostream& out, const Results& results);

// Writes the doubts about the figures of this run: a busy machine, single runs, rates above the peak.
void write_troubles(std::ostream& out, const Results& results);

std::string describe_device(const Facts& facts);
std::string describe_call(const Case& one);

void write_missing_peers(std::ostream& out, const Results& results);

// Compares with each peer over all shapes. Writes nothing if there are fewer than two shapes.
void write_summary(std::ostream& out, const Results& results);

// Writes further notes on the figures of this shape.
void write_notes(std::ostream& out, const Results& results, const ShapeResult& shape);

}  // namespace clgemm::bench
