// The tables for people: one a shape.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "common/statistics.hpp"
#include "common/text_table.hpp"
#include "kernel/kernel_config.hpp"
#include "writing/output.hpp"
#include "writing/table_parts.hpp"

namespace clgemm::bench {
namespace {

// One line of the table, of a kernel or of a peer.
struct Line {
  std::string name;
  std::string parameters;  // or version
  const Figures& figures;
};

struct Column {
  TextColumn head;
  std::function<std::string(const Line&)> cell;
};

using Columns = std::vector<Column>;

// `rank`: see TextColumn.
void add(Columns& columns, const std::string& title, int rank, std::function<std::string(const Line&)> cell) {
  const bool is_text = title == "kernel" || title == "parameters";
  columns.push_back({{title, is_text ? Align::left : Align::right, rank}, std::move(cell)});
}

void add_figure(Columns& columns, const char* title, int rank, std::optional<double> Figures::*member) {
  add(columns, title, rank, [member](const Line& line) { return figure_or_dash(line.figures.*member); });
}

void add_speed_up(Columns& columns, const std::string& title, int rank, const Figures& base) {
  add(columns, "x " + title, rank,
      [base](const Line& line) { return factor_or_dash(speed_up(base, line.figures)); });
}

// What was asked for, and only that.
void add_where_measured(Columns& columns, const char* title, const ShapeResult& shape,
                        std::optional<double> Figures::*member) {
  const auto has = [member](const KernelResult& kernel) { return (kernel.figures.*member).has_value(); };
  if (std::any_of(shape.kernels.begin(), shape.kernels.end(), has)) add_figure(columns, title, 4, member);
}

Columns columns_for(const Results& results, const ShapeResult& shape) {
  Columns columns;
  add(columns, "kernel", 0, [](const Line& line) { return line.name; });
  add(columns, "parameters", 5, [](const Line& line) { return line.parameters; });
  add_figure(columns, "median ms", 0, &Figures::median_ms);
  add(columns, "spread", 5, [](const Line& line) { return percent_of(line.figures.spread.value_or(0.0)); });
  add_figure(columns, "GFLOPS", 0, &Figures::gflops);
  if (results.ceilings) {
    add(columns, "of peak", 3, [peak = results.ceilings->fp32_gflops](const Line& line) {
      return percent_of(line.figures.gflops.value_or(0.0) / peak);
    });
  }
  if (shape.naive.measured() || !shape.naive.reason.empty()) add_speed_up(columns, "naive", 2, shape.naive);
  add_speed_up(columns, "CLBlast", 1, shape.peer_figures("clblast"));
  for (const PeerResult& peer : shape.peers) {
    if (!peer.figures.measured() || peer.name == "clblast") continue;
    add_speed_up(columns, peer_title(peer.name), 1, peer.figures);
  }
  add_figure(columns, "error", 3, &Figures::error_ratio);
  add(columns, "check", 0, [](const Line& line) { return check_mark(line.figures); });
  add_figure(columns, "first ms", 4, &Figures::first_call_ms);
  add_where_measured(columns, "host ms", shape, &Figures::host_ms);
  if (shape.host_bound_ms) {
    add(columns, "of bound", 4, [bound = *shape.host_bound_ms](const Line& line) {
      return line.figures.host_ms ? percent_of(bound / *line.figures.host_ms) : "-";
    });
  }
  add_where_measured(columns, "cold ms", shape, &Figures::cold_ms);
  add_where_measured(columns, "warm ms", shape, &Figures::warm_ms);
  add(columns, "runs", 6, [](const Line& line) { return std::to_string(line.figures.runs); });
  return columns;
}

// What has the lowest median of all that is right; null where there is nothing.
const Figures* fastest_of(const ShapeResult& shape) {
  const Figures* fastest = nullptr;
  const auto look_at = [&fastest](const Figures& figures) {
    if (!figures.measured() || figures.failed()) return;
    if (fastest == nullptr || *figures.median_ms < *fastest->median_ms) fastest = &figures;
  };
  for (const KernelResult& kernel : shape.kernels) look_at(kernel.figures);
  for (const PeerResult& peer : shape.peers) look_at(peer.figures);
  return fastest;
}

// The table of a shape, and the name of what was the fastest.
class ShapeTable {
 public:
  ShapeTable(const Results& results, const ShapeResult& shape)
      : columns_(columns_for(results, shape)), table_(heads()), fastest_(fastest_of(shape)) {
    for (const KernelResult& kernel : shape.kernels) {
      add_result(kernel, kernel.kernel, describe_values(kernel.parameters));
    }
    for (const PeerResult& peer : shape.peers) add_result(peer, peer_title(peer.name), peer.version);
  }

  void print(std::ostream& out) const {
    table_.print(out);
    if (!fastest_name_.empty()) out << fmt::format("Fastest: {}.\n", fastest_name_);
  }

 private:
  std::vector<TextColumn> heads() const {
    std::vector<TextColumn> heads;
    for (const Column& column : columns_) heads.push_back(column.head);
    return heads;
  }

  template <class Result>
  void add_result(const Result& result, const std::string& name, const std::string& parameters) {
    if (!result.figures.measured()) {
      add_unmeasured(table_, result);
      return;
    }
    const Line line{name, parameters, result.figures};
    std::vector<std::string> cells;
    for (const Column& column : columns_) cells.push_back(column.cell(line));
    table_.add_row(std::move(cells));
    if (&result.figures != fastest_) return;
    table_.mark_last_row();
    fastest_name_ = name;
  }

  Columns columns_;
  TextTable table_;
  const Figures* fastest_;
  std::string fastest_name_;
};

// What the columns of this run mean.
void explain_columns(std::ostream& out, const Results& results) {
  out << "\nTimes are of the whole operation, packing included; first: the first call, which compiles or "
         "loads;\nspread: (95th percentile - minimum) / median.\n";
  if (!results.ceilings) return;
  out << fmt::format(
      "Peak: measured here by --ceilings, {} GFLOPS in fp32; memory {} GB/s reading, {} GB/s copying.\n",
      format_figure(results.ceilings->fp32_gflops), format_figure(results.ceilings->read_gbs),
      format_figure(results.ceilings->copy_gbs));
}

bool fewer_runs(const Results& results) {
  for (const ShapeResult& shape : results.shapes) {
    for (const KernelResult& kernel : shape.kernels) {
      if (kernel.figures.measured() && kernel.figures.runs < results.wanted_runs) return true;
    }
  }
  return false;
}

}  // namespace

void write_table(std::ostream& out, const Results& results) {
  out << "Device: " << describe_device(results.facts) << '\n';
  for (const ShapeResult& shape : results.shapes) {
    out << '\n' << describe_call(shape) << '\n';
    ShapeTable(results, shape).print(out);
    write_notes(out, results, shape);
  }
  explain_columns(out, results);
  if (fewer_runs(results)) {
    out << fmt::format("Fewer than {} runs where they would take more than {} s (--max-seconds).\n",
                       results.wanted_runs, results.max_seconds);
  }
  write_summary(out, results);
}

}  // namespace clgemm::bench
