// The tables for readers, one for each shape.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/statistics.hpp"
#include "writing/output.hpp"
#include "writing/table_parts.hpp"

namespace clgemm::bench {
namespace {

// Adds the time by the clock that the other figures of the table do not use.
ResultColumn other_time(const ShapeResult& shape) {
  if (shape.clock() == Clock::device) return figure_column("call ms", 3, &Figures::call_ms);
  return column("device ms", 3, [](const ResultLine& line) {
    return line.figures.clock == Clock::device ? figure_or_dash(line.figures.median_ms) : "-";
  });
}

std::vector<ResultColumn> columns_for(const Results& results, const ShapeResult& shape) {
  std::vector<ResultColumn> ratios;
  if (results.ceilings) {
    ratios.push_back(column("of peak", 3, [peak = results.ceilings->fp32_gflops](const ResultLine& line) {
      return percent_of(line.shape.rate(line.figures).value_or(0.0) / peak);
    }));
  }
  if (shape.naive.measured())
    ratios.push_back(speed_up_column("naive", 2, [](const ResultLine& line) { return line.shape.naive; }));
  for (const PeerResult& peer : shape.peers) {
    if (peer.figures.measured()) ratios.push_back(speed_up_beside(peer.name));
  }
  std::vector<ResultColumn> columns =
      columns_with(shape.clock() == Clock::device ? "device ms" : "call ms", ratios);
  columns.push_back(other_time(shape));
  columns.push_back(figure_column("first ms", 4, &Figures::first_call_ms));
  const auto add_if_measured = [&](const char* title, std::optional<double> Figures::*member) {
    const auto has = [member](const KernelResult& kernel) { return (kernel.figures.*member).has_value(); };
    if (std::any_of(shape.kernels.begin(), shape.kernels.end(), has))
      columns.push_back(figure_column(title, 4, member));
  };
  add_if_measured("host ms", &Figures::host_ms);
  if (shape.host_bound_ms) {
    columns.push_back(column("of bound", 4, [bound = *shape.host_bound_ms](const ResultLine& line) {
      return line.figures.host_ms ? percent_of(bound / *line.figures.host_ms) : "-";
    }));
  }
  add_if_measured("cold ms", &Figures::cold_ms);
  add_if_measured("warm ms", &Figures::warm_ms);
  columns.push_back(column("spread", 6, [](const ResultLine& line) {
    return line.figures.runs == 1 ? "-" : percent_of(line.figures.spread.value_or(0.0));
  }));
  columns.push_back(
      column("runs", 5, [](const ResultLine& line) { return std::to_string(line.figures.runs); }));
  return columns;
}

void write_shape(std::ostream& out, const Results& results, const ShapeResult& shape) {
  const Figures* fastest = shape.fastest();
  const std::vector<ResultLine> lines = lines_of(shape);
  print_table(out, columns_for(results, shape), lines, fastest);
  std::string name;
  std::vector<std::string> as_fast;
  std::size_t measured = 0;
  for (const ResultLine& line : lines) {
    if (!line.figures.measured()) continue;
    ++measured;
    if (&line.figures == fastest) {
      name = line.name;
    } else if (fastest != nullptr && !line.figures.failed() && shape.within_noise(line.figures, *fastest)) {
      as_fast.push_back(line.name);
    }
  }
  if (fastest == nullptr || measured < 2) return;
  out << fmt::format(
      "Fastest {}{}: {}{}.\n", shape.clock() == Clock::device ? "on the device" : "by the call",
      fastest->runs == 1 ? ", in a single run" : "", name,
      as_fast.empty() ? "" : fmt::format("; within the noise also {}", fmt::join(as_fast, ", ")));
}

// Explains the columns of this run.
void explain_columns(std::ostream& out, const Results& results) {
  out << "\n"
         "Times are medians of the whole operation, including packing. \"device\" is the time on the device, "
         "from the start of the\n"
         "first kernel to the end of the last one. \"call\" is the host's wall-clock time from the call to "
         "its completion. \"first\"\n"
         "is the first call, which compiles or loads the kernel. GFLOPS and ratios use the first of these "
         "columns. This is\n"
         "\"call\" if a peer or the device has no other time.\n"
      << meaning_of_plus_minus << "Spread: (95th percentile - minimum) / median.\n";
  if (!results.ceilings) return;
  out << fmt::format(
      "Peak, as measured by --ceilings: {} GFLOPS in fp32; memory reads {} GB/s and copies {} GB/s.\n",
      format_figure(results.ceilings->fp32_gflops), format_figure(results.ceilings->read_gbs),
      format_figure(results.ceilings->copy_gbs));
}

}  // namespace

void write_table(std::ostream& out, const Results& results) {
  out << "Device: " << describe_device(results.facts) << '\n';
  for (const ShapeResult& shape : results.shapes) {
    out << '\n' << describe_call(shape) << '\n';
    write_shape(out, results, shape);
    write_notes(out, results, shape);
  }
  explain_columns(out, results);
  write_fewer_runs(out, results);
  write_troubles(out, results);
  write_summary(out, results);
}

}  // namespace clgemm::bench
