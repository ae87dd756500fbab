#include "writing/table_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/statistics.hpp"
#include "figures/summary.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm::bench {
namespace {

void write_checks(std::ostream& out, const ShapeResult& shape) {
  if (shape.checked_elements != 0) {
    const std::size_t elements = shape.size.m * shape.size.n * shape.kind.batch_count;
    const std::string part = shape.checked_elements == elements
                                 ? "all"
                                 : fmt::format("a sample of {} of {}", shape.checked_elements, elements);
    out << fmt::format(
        "Checked against float64: {} elements. PASSED means an error ratio of at most {:.1f}.\n", part,
        shape.error_bound.value_or(0.0));
  }
  for (const KernelResult& kernel : shape.kernels) {
    if (!kernel.wrong.empty()) out << fmt::format("{}: {}\n", kernel.kernel, kernel.wrong);
    if (!kernel.agreement || kernel.agreement->passed) continue;
    out << fmt::format("{} differs from the peer's result: ratio {}, bound {:.1f}.\n", kernel.kernel,
                       format_figure(kernel.agreement->error_ratio), kernel.agreement->bound);
  }
}

const char* check_mark(const Figures& figures) {
  if (!figures.passed) return "not checked";
  return *figures.passed ? "PASSED" : "FAILED";
}

// Returns how far the true median may be from this one, by the clock of the shape. Returns "-" if there was
// only one run.
std::string plus_minus(const ShapeResult& shape, const Figures& figures) {
  const std::optional<Time> time = shape.time(figures);
  if (!time || figures.runs < 2) return "-";
  return percent_of(std::max(time->high_ms - time->ms, time->ms - time->low_ms) / time->ms);
}

}  // namespace

std::vector<ResultLine> lines_of(const ShapeResult& shape) {
  std::vector<ResultLine> lines;
  for (const KernelResult& kernel : shape.kernels) {
    lines.push_back({shape, kernel.kernel, describe_values(kernel.parameters), kernel.figures,
                     fmt::format("{}: {}", kernel.outcome == Outcome::failed ? "FAILED" : "skipped",
                                 kernel.figures.reason)});
  }
  for (const PeerResult& peer : shape.peers) {
    lines.push_back(
        {shape, peer_title(peer.name), peer.version, peer.figures, "did not run: " + peer.figures.reason});
  }
  return lines;
}

ResultColumn column(const std::string& title, int rank, std::function<std::string(const ResultLine&)> cell) {
  return {{title, Align::right, rank}, std::move(cell)};
}

ResultColumn figure_column(const std::string& title, int rank, std::optional<double> Figures::*member) {
  return column(title, rank,
                [member](const ResultLine& line) { return figure_or_dash(line.figures.*member); });
}

ResultColumn speed_up_column(const std::string& title, int rank,
                             const std::function<Figures(const ResultLine&)>& base) {
  return column("x " + title, rank, [base](const ResultLine& line) {
    return factor_or_dash(line.shape.speed_up(base(line), line.figures));
  });
}

ResultColumn speed_up_beside(const std::string& peer) {
  return speed_up_column(peer_title(peer), 1,
                         [peer](const ResultLine& line) { return line.shape.peer_figures(peer); });
}

std::vector<ResultColumn> columns_with(const std::string& time_title,
                                       const std::vector<ResultColumn>& ratios) {
  std::vector<ResultColumn> columns = {
      {{"kernel", Align::left}, [](const ResultLine& line) { return line.name; }},
      {{"parameters", Align::left, 5}, [](const ResultLine& line) { return line.parameters; }},
      column(time_title, 0,
             [](const ResultLine& line) { return format_figure(line.shape.time(line.figures)->ms); }),
      column("+-", 3, [](const ResultLine& line) { return plus_minus(line.shape, line.figures); }),
      column("GFLOPS", 0,
             [](const ResultLine& line) { return figure_or_dash(line.shape.rate(line.figures)); })};
  columns.insert(columns.end(), ratios.begin(), ratios.end());
  columns.push_back(figure_column("error", 3, &Figures::error_ratio));
  columns.push_back(column("check", 0, [](const ResultLine& line) { return check_mark(line.figures); }));
  return columns;
}

void print_table(std::ostream& out, const std::vector<ResultColumn>& columns,
                 const std::vector<ResultLine>& lines, const Figures* marked) {
  std::vector<TextColumn> heads;
  for (const ResultColumn& one : columns) heads.push_back(one.head);
  TextTable table(heads);
  for (const ResultLine& line : lines) {
    if (!line.figures.measured()) {
      table.add_remark(columns.front().cell(line), line.not_measured);
      continue;
    }
    std::vector<std::string> cells;
    for (const ResultColumn& one : columns) cells.push_back(one.cell(line));
    table.add_row(cells);
    if (&line.figures == marked) table.mark_last_row();
  }
  table.print(out);
}

std::string percent_of(double part) {
  return fmt::format("{:.1f} %", 100.0 * part);
}

std::string clock_in_words(const ShapeResult& shape) {
  if (shape.clock() == Clock::device)
    return "on the device, from the first kernel's start to the last one's end";
  std::vector<std::string> names;
  for (const PeerResult& peer : shape.peers) {
    if (peer.figures.measured() && peer.figures.clock == Clock::host) names.push_back(peer_title(peer.name));
  }
  return fmt::format("in wall-clock time on the host, from the call to its completion, because {}",
                     names.empty() ? "the device reports no real times"
                                   : fmt::format("{} has no other time", fmt::join(names, ", ")));
}

void write_fewer_runs(std::ostream& out, const Results& results) {
  const auto has_fewer = [&](const KernelResult& kernel) {
    return kernel.figures.measured() && kernel.figures.runs < results.wanted_runs;
  };
  for (const ShapeResult& shape : results.shapes) {
    if (std::none_of(shape.kernels.begin(), shape.kernels.end(), has_fewer)) continue;
    out << fmt::format("There are fewer than {} runs if they would take more than {} s (--max-seconds).\n",
                       results.wanted_runs, results.max_seconds);
    return;
  }
}

void write_troubles(std::ostream& out, const Results& results) {
  for (const std::string& trouble : troubles_of(results)) out << fmt::format("Warning: {}\n", trouble);
}

std::string describe_device(const Facts& facts) {
  return fmt::format("{} ({}, driver {})", facts.device, facts.platform, facts.driver);
}

std::string describe_call(const Case& one) {
  return fmt::format("m n k = {}, alpha {}, beta {}", describe_labelled(one), one.kind.alpha, one.kind.beta);
}

void write_missing_peers(std::ostream& out, const Results& results) {
  for (const MissingPeer& peer : results.missing_peers) {
    out << fmt::format("{} is missing: {}.\n", peer.title, peer.reason);
  }
}

void write_summary(std::ostream& out, const Results& results) {
  for (const BesidePeer& beside : beside_peers(results)) {
    out << fmt::format(
        "\n"
        "Compared with {}, {} is {:.2f} times as fast over {} shapes (geometric mean), and at least as fast "
        "for {} of them ({:.0f} %){}.\n"
        "Worst:\n",
        peer_title(beside.peer), own_title(results), beside.geometric_mean, beside.shapes,
        beside.at_least_one, 100.0 * beside.part_at_least_one(),
        beside.within_noise == 0
            ? ""
            : fmt::format("; for {} of the others, the difference is within the noise", beside.within_noise));
    for (const RatioAtShape& one : beside.worst) {
      out << fmt::format("  {:5.2f}  {}\n", one.ratio, describe_labelled(*one.shape));
    }
  }
}

void write_notes(std::ostream& out, const Results& results, const ShapeResult& shape) {
  const auto by_host = [](const KernelResult& kernel) { return kernel.figures.clock == Clock::host; };
  if (std::any_of(shape.kernels.begin(), shape.kernels.end(), by_host)) {
    out << "The device reports no real times.\n";
  }
  write_checks(out, shape);
  for (const PeerResult& peer : shape.peers) {
    if (peer.figures.computes_in_fp32) continue;
    out << fmt::format(
        "{} rounds its operands to fewer bits than fp32 has, so a failed check does not fail the run.\n",
        peer_title(peer.name));
  }
  write_missing_peers(out, results);
  if (shape.rotation) {
    out << fmt::format("Rotated: {} copies of A, B and C, {} bytes in total.\n", shape.rotation->copies,
                       shape.rotation->bytes);
  }
  if (!shape.naive.reason.empty()) out << fmt::format("naive: {}\n", shape.naive.reason);
}

}  // namespace clgemm::bench
