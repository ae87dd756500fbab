// The tables for readers, one for each shape.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "common/statistics.hpp"
#include "common/text_table.hpp"
#include "kernel/kernel_config.hpp"
#include "writing/output.hpp"
#include "writing/table_parts.hpp"

namespace clgemm::bench {
namespace {

// One line of the table, for a kernel or a peer.
struct Line {
  std::string name;
  std::string parameters;  // parameters of a kernel, or version of a peer
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

void add_speed_up(Columns& columns, const std::string& title, int rank, const ShapeResult& shape,
                  const Figures& base) {
  add(columns, "x " + title, rank,
      [&shape, base](const Line& line) { return factor_or_dash(shape.speed_up(base, line.figures)); });
}

// Adds the time by the clock that the other figures of the table do not use.
void add_other_time(Columns& columns, const ShapeResult& shape) {
  if (shape.clock() == Clock::device) {
    add_figure(columns, "call ms", 3, &Figures::call_ms);
    return;
  }
  add(columns, "device ms", 3, [](const Line& line) {
    return line.figures.clock == Clock::device ? figure_or_dash(line.figures.median_ms) : "-";
  });
}

// Adds a column if its value was requested.
void add_where_measured(Columns& columns, const char* title, const ShapeResult& shape,
                        std::optional<double> Figures::*member) {
  const auto has = [member](const KernelResult& kernel) { return (kernel.figures.*member).has_value(); };
  if (std::any_of(shape.kernels.begin(), shape.kernels.end(), has)) add_figure(columns, title, 4, member);
}

Columns columns_for(const Results& results, const ShapeResult& shape) {
  Columns columns;
  add(columns, "kernel", 0, [](const Line& line) { return line.name; });
  add(columns, "parameters", 5, [](const Line& line) { return line.parameters; });
  add(columns, shape.clock() == Clock::device ? "device ms" : "call ms", 0,
      [&shape](const Line& line) { return format_figure(shape.time(line.figures)->ms); });
  add(columns, "+-", 3, [&shape](const Line& line) { return plus_minus(shape, line.figures); });
  add(columns, "GFLOPS", 0, [&shape](const Line& line) { return figure_or_dash(shape.rate(line.figures)); });
  if (results.ceilings) {
    add(columns, "of peak", 3, [&shape, peak = results.ceilings->fp32_gflops](const Line& line) {
      return percent_of(shape.rate(line.figures).value_or(0.0) / peak);
    });
  }
  if (shape.naive.measured()) add_speed_up(columns, "naive", 2, shape, shape.naive);
  for (const PeerResult& peer : shape.peers) {
    if (peer.figures.measured()) add_speed_up(columns, peer_title(peer.name), 1, shape, peer.figures);
  }
  add_figure(columns, "error", 3, &Figures::error_ratio);
  add(columns, "check", 0, [](const Line& line) { return check_mark(line.figures); });
  add_other_time(columns, shape);
  add_figure(columns, "first ms", 4, &Figures::first_call_ms);
  add_where_measured(columns, "host ms", shape, &Figures::host_ms);
  if (shape.host_bound_ms) {
    add(columns, "of bound", 4, [bound = *shape.host_bound_ms](const Line& line) {
      return line.figures.host_ms ? percent_of(bound / *line.figures.host_ms) : "-";
    });
  }
  add_where_measured(columns, "cold ms", shape, &Figures::cold_ms);
  add_where_measured(columns, "warm ms", shape, &Figures::warm_ms);
  add(columns, "spread", 6, [](const Line& line) {
    return line.figures.runs == 1 ? "-" : percent_of(line.figures.spread.value_or(0.0));
  });
  add(columns, "runs", 5, [](const Line& line) { return std::to_string(line.figures.runs); });
  return columns;
}

// Returns the fastest correct result, or null if there is none.
const Figures* fastest_of(const ShapeResult& shape) {
  const Figures* fastest = nullptr;
  const auto look_at = [&](const Figures& figures) {
    if (!figures.measured() || figures.failed()) return;
    if (fastest == nullptr || shape.time(figures)->ms < shape.time(*fastest)->ms) fastest = &figures;
  };
  for (const KernelResult& kernel : shape.kernels) look_at(kernel.figures);
  for (const PeerResult& peer : shape.peers) look_at(peer.figures);
  return fastest;
}

// The table of a shape, and the name of the fastest entry.
class ShapeTable {
 public:
  // `shape` must outlive it.
  ShapeTable(const Results& results, const ShapeResult& shape)
      : shape_(shape), columns_(columns_for(results, shape)), table_(heads()), fastest_(fastest_of(shape)) {
    for (const KernelResult& kernel : shape.kernels) {
      add_result(kernel, kernel.kernel, describe_values(kernel.parameters));
    }
    for (const PeerResult& peer : shape.peers) add_result(peer, peer_title(peer.name), peer.version);
  }

  void print(std::ostream& out) const {
    table_.print(out);
    if (fastest_name_.empty() || measured_ < 2) return;
    out << fmt::format(
        "Fastest {}{}: {}{}.\n", shape_.clock() == Clock::device ? "on the device" : "by the call",
        fastest_->runs == 1 ? ", in a single run" : "", fastest_name_,
        as_fast_.empty() ? "" : fmt::format("; within the noise also {}", fmt::join(as_fast_, ", ")));
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
    ++measured_;
    const Line line{name, parameters, result.figures};
    std::vector<std::string> cells;
    for (const Column& column : columns_) cells.push_back(column.cell(line));
    table_.add_row(std::move(cells));
    if (&result.figures == fastest_) {
      table_.mark_last_row();
      fastest_name_ = name;
    } else if (fastest_ != nullptr && !result.figures.failed() &&
               shape_.within_noise(result.figures, *fastest_)) {
      as_fast_.push_back(name);
    }
  }

  const ShapeResult& shape_;
  Columns columns_;
  TextTable table_;
  const Figures* fastest_;
  std::size_t measured_ = 0;
  std::string fastest_name_;
  std::vector<std::string> as_fast_;
};

// Explains the columns of this run.
void explain_columns(std::ostream& out, const Results& results) {
  out << "\nTimes are medians of the whole operation, packing included: device from the first kernel's start "
         "to the "
         "last\none's end, call by the host's clock from the call to its completion, first the first call, "
         "which "
         "compiles or\nloads. GFLOPS and ratios are by the first of these columns, which is the call where a "
         "peer or "
         "the device\nhas no other time.\n"
      << meaning_of_plus_minus << "Spread: (95th percentile - minimum) / median.\n";
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
  write_troubles(out, results);
  write_summary(out, results);
}

}  // namespace clgemm::bench
