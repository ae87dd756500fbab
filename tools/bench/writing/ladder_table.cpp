// The ladder as a table that compares each step with the first and the previous one.
#include <fmt/format.h>

#include <algorithm>

#include "common/statistics.hpp"
#include "writing/output.hpp"
#include "writing/table_parts.hpp"

namespace clgemm::bench {
namespace {

// The speed-up that the best-known tutorial of this ladder shows for its own steps.
constexpr const char* published =
    "For comparison, others published 24 x on a GTX 1080, from 44 to 1067 GFLOPS.";

// Returns the first step that was measured, or null.
const KernelResult* first_of(const ShapeResult& shape) {
  const auto first = std::find_if(shape.kernels.begin(), shape.kernels.end(),
                                  [](const KernelResult& kernel) { return kernel.figures.measured(); });
  return first == shape.kernels.end() ? nullptr : &*first;
}

// Returns the figures of the step before this one. Empty if the line is no step.
Figures previous_of(const ResultLine& line) {
  Figures previous;
  for (const KernelResult& kernel : line.shape.kernels) {
    if (&kernel.figures == &line.figures) return previous;
    if (kernel.figures.measured()) previous = kernel.figures;
  }
  return {};
}

void write_closing(std::ostream& out, const ShapeResult& shape) {
  const KernelResult* first = first_of(shape);
  if (first == nullptr) return;
  out << fmt::format("Time: the median, including packing, {}. \"x first\" is the ratio to {}.\n",
                     clock_in_words(shape), first->kernel);
  const KernelResult& best = *shape.own();
  out << meaning_of_plus_minus;
  if (const auto ratio = shape.speed_up(shape.naive, best.figures)) {
    out << fmt::format("\nbest / naive: {:.1f} x ({}, from {} to {} GFLOPS).\n{}\n", *ratio, best.kernel,
                       figure_or_dash(shape.rate(shape.naive)), figure_or_dash(shape.rate(best.figures)),
                       published);
  }
}

}  // namespace

void write_ladder_table(std::ostream& out, const Results& results) {
  out << "Device: " << describe_device(results.facts) << '\n';
  for (const ShapeResult& shape : results.shapes) {
    out << describe_call(shape) << "\n\n";
    std::vector<ResultLine> lines;
    for (const PeerResult& loop : results.host_loops)
      lines.push_back({shape, loop.name, loop.version, loop.figures, loop.figures.reason});
    for (const ResultLine& line : lines_of(shape)) lines.push_back(line);
    const auto first = [](const ResultLine& line) {
      const KernelResult* kernel = first_of(line.shape);
      return kernel == nullptr ? Figures{} : kernel->figures;
    };
    print_table(out,
                columns_with("time ms", {speed_up_column("first", 1, first),
                                         speed_up_column("previous", 3, previous_of)}),
                lines);
    out << '\n';
    write_notes(out, results, shape);
    write_closing(out, shape);
  }
  write_fewer_runs(out, results);
  write_troubles(out, results);
}

}  // namespace clgemm::bench
