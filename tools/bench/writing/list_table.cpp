// One table for many shapes, with a line for each, for random shapes.
#include <fmt/format.h>

#include "figures/summary.hpp"
#include "writing/output.hpp"
#include "writing/table_parts.hpp"

namespace clgemm::bench {
namespace {

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
      out << fmt::format("{}: the result of {} FAILED the check.\n", describe_shape(shape),
                         peer_title(peer.name));
    }
  }
}

}  // namespace

void write_list_table(std::ostream& out, const Results& results) {
  out << "Device: " << describe_device(results.facts) << "\n\n";
  std::vector<ResultColumn> ratios;
  for (const std::string& peer : measured_peers(results)) ratios.push_back(speed_up_beside(peer));
  std::vector<ResultColumn> columns;
  columns.push_back(
      {{"m n k", Align::left}, [](const ResultLine& line) { return describe_shape(line.shape); }});
  for (const ResultColumn& one : columns_with("ms", ratios)) columns.push_back(one);
  std::vector<ResultLine> lines;
  for (const ShapeResult& shape : results.shapes) {
    const std::vector<ResultLine> all = lines_of(shape);
    for (std::size_t i = 0; i < shape.kernels.size(); ++i) lines.push_back(all[i]);
  }
  print_table(out, columns, lines);
  for (const ShapeResult& shape : results.shapes) write_failures(out, shape);
  write_missing_peers(out, results);
  if (!results.shapes.empty()) {
    out << fmt::format("\nTimes are medians of whole operations, including packing, {}.\n{}",
                       clock_in_words(results.shapes.front()), meaning_of_plus_minus);
  }
  write_troubles(out, results);
  write_summary(out, results);
}

}  // namespace clgemm::bench
