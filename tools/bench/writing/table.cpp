// The tables for people: one a size.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "common/statistics.hpp"
#include "common/text_table.hpp"
#include "kernel/kernel_config.hpp"
#include "writing/output.hpp"
#include "writing/table_columns.hpp"

namespace clgemm::bench {
namespace {

void add_line(TextTable& table, const MeasuredColumns& columns, const MeasuredLine& line) {
  std::vector<std::string> cells;
  for (const MeasuredColumn& column : columns) cells.push_back(column.cell(line));
  table.add_row(std::move(cells));
}

// What has the lowest median of all: one of the two, or nothing.
struct Fastest {
  const KernelResult* kernel = nullptr;
  const PeerResult* peer = nullptr;
};

Fastest fastest_of(const SizeResult& size) {
  Fastest fastest;
  double least = std::numeric_limits<double>::infinity();
  const auto is_faster = [&least](const std::optional<Measurement>& measured) {
    if (!measured || measured->failed() || measured->median_ms >= least) return false;
    least = measured->median_ms;
    return true;
  };
  for (const KernelResult& kernel : size.kernels) {
    if (is_faster(kernel.measurement)) fastest = {&kernel, nullptr};
  }
  for (const PeerResult& peer : size.peers) {
    if (is_faster(peer.measurement)) fastest = {nullptr, &peer};
  }
  return fastest;
}

void add_lines(TextTable& table, const MeasuredColumns& columns, const SizeResult& size) {
  const Fastest fastest = fastest_of(size);
  for (const KernelResult& kernel : size.kernels) {
    if (kernel.measurement) {
      add_line(table, columns,
               {kernel.kernel, describe_values(kernel.parameters), *kernel.measurement, kernel.first_call,
                kernel.measurement->check.has_value() && kernel.passed()});
    } else {
      table.add_remark(kernel.kernel, fmt::format("{}: {}", outcome_name(kernel.outcome), kernel.reason));
    }
    if (&kernel == fastest.kernel) table.mark_last_row();
  }
  for (const PeerResult& peer : size.peers) {
    if (peer.measurement) {
      add_line(table, columns,
               {peer.title, peer.version, *peer.measurement, peer.first_call,
                peer.measurement->check && peer.measurement->check->passed});
    } else {
      table.add_remark(peer.title, "did not run: " + peer.reason);
    }
    if (&peer == fastest.peer) table.mark_last_row();
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

void write_fastest(std::ostream& out, const SizeResult& size) {
  const auto [kernel, peer] = fastest_of(size);
  if (kernel != nullptr) out << fmt::format("Fastest: {}.\n", kernel->kernel);
  if (peer != nullptr) out << fmt::format("Fastest: {}.\n", peer->title);
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
  if (const std::size_t gap = kind_of(call).gap; gap != 0) text += fmt::format(", gaps of {}", gap);
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
    out << '\n' << (size.label.empty() ? "" : size.label + ": ") << describe_call(size.call) << '\n';
    const MeasuredColumns columns = columns_for(results, size);
    std::vector<TextColumn> heads;
    for (const MeasuredColumn& column : columns) heads.push_back(column.head);
    TextTable table(heads);
    add_lines(table, columns, size);
    table.print(out);
    write_fastest(out, size);
    write_notes(out, results, size);
  }
  explain_columns(out, results);
  if (fewer_runs(results)) {
    out << fmt::format("Fewer than {} runs where they would take more than {} s (--max-seconds).\n",
                       results.wanted_runs, results.max_seconds);
  }
}

}  // namespace clgemm::bench
