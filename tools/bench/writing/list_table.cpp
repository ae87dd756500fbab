// One table for many shapes, with a line for each, for random shapes.
#include <fmt/format.h>

#include "common/statistics.hpp"
#include "common/text_table.hpp"
#include "figures/summary.hpp"
#include "kernel/kernel_config.hpp"
#include "writing/output.hpp"
#include "writing/table_parts.hpp"

namespace clgemm::bench {
namespace {

std::vector<TextColumn> columns_for(const std::vector<std::string>& peers) {
  std::vector<TextColumn> columns = {{"m n k", Align::left},         {"kernel", Align::left},
                                     {"parameters", Align::left, 5}, {"ms"},
                                     {"+-", Align::right, 3},        {"GFLOPS"}};
  for (const std::string& peer : peers) columns.push_back({"x " + peer_title(peer), Align::right, 1});
  columns.push_back({"error", Align::right, 3});
  columns.push_back({"check"});
  return columns;
}

void add_line(TextTable& table, const std::vector<std::string>& peers, const ShapeResult& shape,
              const KernelResult& kernel) {
  const Figures& figures = kernel.figures;
  if (!figures.measured()) {
    add_unmeasured(table, kernel, describe_shape(shape));
    return;
  }
  std::vector<std::string> cells = {describe_shape(shape),
                                    kernel.kernel,
                                    describe_values(kernel.parameters),
                                    format_figure(shape.time(figures)->ms),
                                    plus_minus(shape, figures),
                                    figure_or_dash(shape.rate(figures))};
  for (const std::string& peer : peers) {
    cells.push_back(factor_or_dash(shape.speed_up(shape.peer_figures(peer), figures)));
  }
  cells.push_back(figure_or_dash(figures.error_ratio));
  cells.push_back(check_mark(figures));
  table.add_row(std::move(cells));
}

// Writes the failures, for which a line of the table has no room.
void write_failures(std::ostream& out, const ShapeResult& shape) {
  for (const KernelResult& kernel : shape.kernels) {
    if (!kernel.wrong.empty()) {
      out << fmt::format("{}: {}: {}\n", describe_shape(shape), kernel.kernel, kernel.wrong);
    }
  }
  for (const PeerResult& peer : shape.peers) {
    if (!peer.figures.measured()) {
      out << fmt::format("{}: {} did not run: {}\n", describe_shape(shape), peer_title(peer.name),
                         peer.figures.reason);
    } else if (peer.figures.judged() && peer.figures.failed()) {
      out << fmt::format("{}: the result of {} FAILED its check.\n", describe_shape(shape),
                         peer_title(peer.name));
    }
  }
}

}  // namespace

void write_list_table(std::ostream& out, const Results& results) {
  out << "Device: " << describe_device(results.facts) << "\n\n";
  const std::vector<std::string> peers = measured_peers(results);
  TextTable table(columns_for(peers));
  for (const ShapeResult& shape : results.shapes) {
    for (const KernelResult& kernel : shape.kernels) add_line(table, peers, shape, kernel);
  }
  table.print(out);
  for (const ShapeResult& shape : results.shapes) write_failures(out, shape);
  write_missing_peers(out, results);
  if (!results.shapes.empty()) {
    out << fmt::format("\nTimes are medians of whole operations, packing included, {}.\n{}",
                       clock_in_words(results.shapes.front()), meaning_of_plus_minus);
  }
  write_troubles(out, results);
  write_summary(out, results);
}

}  // namespace clgemm::bench
