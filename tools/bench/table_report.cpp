// The tables for people: one a size.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "kernel_config.hpp"
#include "report.hpp"
#include "text_table.hpp"

namespace clgemm::bench {
namespace {

std::string figure_or_dash(const std::optional<double>& value) {
  return value ? format_figure(*value) : "-";
}

std::string factor_or_dash(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}

std::optional<double> error_ratio(const std::optional<CheckResult>& check) {
  return check ? std::optional(check->error_ratio) : std::nullopt;
}

// One line of the table, of a kernel or of a peer.
struct Line {
  std::string name;
  std::string parameters;  // or version
  const Measurement& measured;
  const std::optional<FirstCall>& first_call;
  bool passed;
};

using Cell = std::function<std::string(const Line&)>;

struct Column {
  TextColumn head;
  Cell cell;
};

using Columns = std::vector<Column>;

void add_column(Columns& columns, std::string title, Cell cell, Align align = Align::right) {
  columns.emplace_back();
  columns.back().head.title = std::move(title);
  columns.back().head.align = align;
  columns.back().cell = std::move(cell);
}

std::string percent(double part) {
  return fmt::format("{:.1f} %", 100.0 * part);
}

void add_speed_ups(Columns& columns, const SizeResult& size) {
  add_column(columns, "x naive",
             [&](const Line& line) { return factor_or_dash(speed_up(size.naive, line.measured)); });
  std::vector<std::pair<std::string, std::string>> peers = {{"clblast", "CLBlast"}};
  for (const PeerResult& peer : size.peers) {
    if (peer.measurement && peer.name != "clblast") peers.emplace_back(peer.name, peer.title);
  }
  for (const auto& [name, title] : peers) {
    add_column(columns, "x " + title, [&size, peer = name](const Line& line) {
      return factor_or_dash(speed_up(peer_measurement(size, peer), line.measured));
    });
  }
}

// What was asked for, and only that.
void add_other_times(Columns& columns, const SizeResult& size) {
  const bool with_host = std::any_of(
      size.kernels.begin(), size.kernels.end(),
      [](const KernelResult& kernel) { return kernel.measurement && kernel.measurement->host_ms; });
  const bool with_first =
      std::any_of(size.kernels.begin(), size.kernels.end(),
                  [](const KernelResult& kernel) { return kernel.first_call.has_value(); });
  if (with_host) {
    add_column(columns, "host ms", [](const Line& line) { return figure_or_dash(line.measured.host_ms); });
  }
  if (!with_first) return;
  add_column(columns, "cold ms", [](const Line& line) {
    return line.first_call ? format_figure(line.first_call->cold_ms) : "-";
  });
  add_column(columns, "warm ms", [](const Line& line) {
    return line.first_call ? format_figure(line.first_call->warm_ms) : "-";
  });
}

Columns columns_for(const Results& results, const SizeResult& size) {
  Columns columns;
  const auto add = [&](const char* title, Cell cell) { add_column(columns, title, std::move(cell)); };
  add_column(
      columns, "kernel", [](const Line& line) { return line.name; }, Align::left);
  add_column(
      columns, "parameters", [](const Line& line) { return line.parameters; }, Align::left);
  add("median ms", [](const Line& line) { return format_figure(line.measured.median_ms); });
  add("spread", [](const Line& line) { return percent(line.measured.spread()); });
  add("GFLOPS", [&](const Line& line) { return format_figure(line.measured.gflops(size.size())); });
  if (results.ceilings) {
    add("of peak", [&](const Line& line) {
      return percent(line.measured.gflops(size.size()) / results.ceilings->fp32_gflops);
    });
  }
  add_speed_ups(columns, size);
  add("error", [](const Line& line) { return figure_or_dash(error_ratio(line.measured.check)); });
  add("check", [&](const Line& line) { return check_mark(results, line.passed); });
  add("first ms", [](const Line& line) { return format_figure(line.measured.first_call_ms); });
  add_other_times(columns, size);
  add("runs", [](const Line& line) { return std::to_string(line.measured.runs); });
  return columns;
}

void add_line(TextTable& table, const Columns& columns, const Line& line) {
  std::vector<std::string> cells;
  for (const Column& column : columns) cells.push_back(column.cell(line));
  table.add_row(std::move(cells));
}

void add_lines(TextTable& table, const Columns& columns, const SizeResult& size) {
  for (const KernelResult& kernel : size.kernels) {
    if (kernel.measurement) {
      add_line(table, columns,
               {kernel.kernel, describe_values(kernel.parameters), *kernel.measurement, kernel.first_call,
                kernel.measurement->check.has_value() && kernel.passed()});
    } else {
      table.add_remark(kernel.kernel, fmt::format("{}: {}", outcome_name(kernel.outcome), kernel.reason));
    }
  }
  for (const PeerResult& peer : size.peers) {
    if (peer.measurement) {
      add_line(table, columns,
               {peer.title, peer.version, *peer.measurement, peer.first_call,
                peer.measurement->check && peer.measurement->check->passed});
    } else {
      table.add_remark(peer.title, "did not run: " + peer.reason);
    }
  }
}

// What the columns of this run mean.
void explain_columns(std::ostream& out, const Results& results) {
  out << "\nTimes are of the whole operation, packing included; first: the first call, which compiles or "
         "loads;\nspread: (95th percentile - minimum) / median.\n";
  if (results.ceilings) {
    out << fmt::format(
        "Peak: measured here by --ceilings, {} GFLOPS in fp32; memory {} GB/s reading, {} GB/s copying.\n",
        format_figure(results.ceilings->fp32_gflops), format_figure(results.ceilings->read_gbs),
        format_figure(results.ceilings->copy_gbs));
  }
}

bool fewer_runs(const Results& results) {
  for (const SizeResult& size : results.sizes) {
    for (const KernelResult& kernel : size.kernels) {
      if (kernel.measurement && kernel.measurement->runs < results.wanted_runs) return true;
    }
  }
  return false;
}

}  // namespace

std::string outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::measured:
      return "measured";
    case Outcome::skipped:
      return "skipped";
    case Outcome::failed:
      return "FAILED";
  }
  return "";
}

std::string check_mark(const Results& results, bool passed) {
  if (!results.checked) return "not checked";
  return passed ? "PASSED" : "FAILED";
}

std::string describe_device(const Device& device) {
  return fmt::format("{} ({}, driver {})", device.name, device.platform_name, device.driver_version);
}

std::string describe_call(const SgemmCall& call) {
  std::string text = fmt::format("m n k = {}, {}-major", to_string(Size{call.m, call.n, call.k}),
                                 call.layout == Layout::row_major ? "row" : "column");
  if (call.transpose_a == Transpose::yes) text += ", A transposed";
  if (call.transpose_b == Transpose::yes) text += ", B transposed";
  return text + fmt::format(", alpha {}, beta {}", call.alpha, call.beta);
}

void write_notes(std::ostream& out, const Results& results, const SizeResult& size) {
  if (size.checked_elements != 0) {
    const std::size_t elements = size.call.m * size.call.n;
    const std::string part = size.checked_elements == elements
                                 ? "all"
                                 : fmt::format("a sample of {} of {}", size.checked_elements, elements);
    out << fmt::format("Checked against float64: {} elements; PASSED is an error ratio of at most {:.1f}.\n",
                       part, error_bound(size.call.k));
  }
  for (const KernelResult& kernel : size.kernels) {
    if (!kernel.wrong.empty()) out << fmt::format("{}: {}\n", kernel.kernel, kernel.wrong);
  }
  for (const KernelResult& kernel : size.kernels) {
    if (!kernel.agreement || kernel.agreement->passed) continue;
    out << fmt::format("{} differs from the peer's result: ratio {}, bound {:.1f}.\n", kernel.kernel,
                       format_figure(kernel.agreement->error_ratio), kernel.agreement->bound);
  }
  const auto by_host = [](const KernelResult& kernel) {
    return kernel.measurement && kernel.measurement->clock == Clock::host;
  };
  if (std::any_of(size.kernels.begin(), size.kernels.end(), by_host)) {
    out << "The device reports no real times: these are the host's, from the call to its completion.\n";
  }
  for (const PeerResult& peer : size.peers) {
    if (!peer.computes_in_fp32) {
      out << fmt::format("{} rounds its operands to fewer bits than fp32 has; its check fails no run.\n",
                         peer.title);
    }
  }
  for (const MissingPeer& peer : results.missing_peers) {
    out << fmt::format("{} is missing: {}.\n", peer.title, peer.reason);
  }
  if (size.rotation) {
    out << fmt::format("Rotated: {} copies of A, B and C, {} bytes together.\n", size.rotation->copies,
                       size.rotation->bytes);
  }
  if (!size.naive_reason.empty()) out << fmt::format("naive: {}\n", size.naive_reason);
}

void write_table(std::ostream& out, const Results& results) {
  out << "Device: " << describe_device(results.device) << '\n';
  for (const SizeResult& size : results.sizes) {
    out << '\n' << describe_call(size.call) << '\n';
    const Columns columns = columns_for(results, size);
    std::vector<TextColumn> heads;
    for (const Column& column : columns) heads.push_back(column.head);
    TextTable table(heads);
    add_lines(table, columns, size);
    table.print(out);
    write_notes(out, results, size);
  }
  explain_columns(out, results);
  if (fewer_runs(results)) {
    out << fmt::format("Fewer than {} runs where they would take more than {} s (--max-seconds).\n",
                       results.wanted_runs, results.max_seconds);
  }
}

}  // namespace clgemm::bench
