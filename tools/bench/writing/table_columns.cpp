#include "writing/table_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/statistics.hpp"
#include "writing/output.hpp"

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

// `rank` says which columns go first where the terminal is narrow: the highest, and those of 0 never.
void add_column(MeasuredColumns& columns, std::string title, LineCell cell, int rank,
                Align align = Align::right) {
  columns.emplace_back();
  columns.back().head.title = std::move(title);
  columns.back().head.align = align;
  columns.back().head.rank = rank;
  columns.back().cell = std::move(cell);
}

std::string percent(double part) {
  return fmt::format("{:.1f} %", 100.0 * part);
}

void add_speed_ups(MeasuredColumns& columns, const SizeResult& size) {
  add_column(
      columns, "x naive",
      [&](const MeasuredLine& line) { return factor_or_dash(speed_up(size.naive, line.measured)); }, 2);
  std::vector<std::pair<std::string, std::string>> peers = {{"clblast", "CLBlast"}};
  for (const PeerResult& peer : size.peers) {
    if (peer.measurement && peer.name != "clblast") peers.emplace_back(peer.name, peer.title);
  }
  for (const auto& [name, title] : peers) {
    add_column(
        columns, "x " + title,
        [&size, peer = name](const MeasuredLine& line) {
          return factor_or_dash(speed_up(peer_measurement(size, peer), line.measured));
        },
        1);
  }
}

// What was asked for, and only that.
void add_other_times(MeasuredColumns& columns, const SizeResult& size) {
  const bool with_host = std::any_of(
      size.kernels.begin(), size.kernels.end(),
      [](const KernelResult& kernel) { return kernel.measurement && kernel.measurement->host_ms; });
  const bool with_first =
      std::any_of(size.kernels.begin(), size.kernels.end(),
                  [](const KernelResult& kernel) { return kernel.first_call.has_value(); });
  if (with_host) {
    add_column(
        columns, "host ms", [](const MeasuredLine& line) { return figure_or_dash(line.measured.host_ms); },
        4);
  }
  if (!with_first) return;
  add_column(
      columns, "cold ms",
      [](const MeasuredLine& line) {
        return line.first_call ? format_figure(line.first_call->cold_ms) : "-";
      },
      4);
  add_column(
      columns, "warm ms",
      [](const MeasuredLine& line) {
        return line.first_call ? format_figure(line.first_call->warm_ms) : "-";
      },
      4);
}

}  // namespace

MeasuredColumns columns_for(const Results& results, const SizeResult& size) {
  MeasuredColumns columns;
  const auto add = [&](const char* title, int rank, LineCell cell) {
    add_column(columns, title, std::move(cell), rank);
  };
  add_column(
      columns, "kernel", [](const MeasuredLine& line) { return line.name; }, 0, Align::left);
  add_column(
      columns, "parameters", [](const MeasuredLine& line) { return line.parameters; }, 5, Align::left);
  add("median ms", 0, [](const MeasuredLine& line) { return format_figure(line.measured.median_ms); });
  add("spread", 5, [](const MeasuredLine& line) { return percent(line.measured.spread()); });
  add("GFLOPS", 0,
      [&](const MeasuredLine& line) { return format_figure(line.measured.gflops(size.size())); });
  if (results.ceilings) {
    add("of peak", 3, [&](const MeasuredLine& line) {
      return percent(line.measured.gflops(size.size()) / results.ceilings->fp32_gflops);
    });
  }
  add_speed_ups(columns, size);
  add("error", 3, [](const MeasuredLine& line) { return figure_or_dash(error_ratio(line.measured.check)); });
  add("check", 0, [&](const MeasuredLine& line) { return check_mark(results, line.passed); });
  add("first ms", 4, [](const MeasuredLine& line) { return format_figure(line.measured.first_call_ms); });
  add_other_times(columns, size);
  add("runs", 6, [](const MeasuredLine& line) { return std::to_string(line.measured.runs); });
  return columns;
}

}  // namespace clgemm::bench
