#include "writing/table_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/statistics.hpp"
#include "figures/summary.hpp"

namespace clgemm::bench {
namespace {

void write_checks(std::ostream& out, const ShapeResult& shape) {
  if (shape.checked_elements != 0) {
    const std::size_t elements = shape.size.m * shape.size.n * shape.kind.batch_count;
    const std::string part = shape.checked_elements == elements
                                 ? "all"
                                 : fmt::format("a sample of {} of {}", shape.checked_elements, elements);
    out << fmt::format("Checked against float64: {} elements; PASSED is an error ratio of at most {:.1f}.\n",
                       part, shape.error_bound.value_or(0.0));
  }
  for (const KernelResult& kernel : shape.kernels) {
    if (!kernel.wrong.empty()) out << fmt::format("{}: {}\n", kernel.kernel, kernel.wrong);
  }
  for (const KernelResult& kernel : shape.kernels) {
    if (!kernel.agreement || kernel.agreement->passed) continue;
    out << fmt::format("{} differs from the peer's result: ratio {}, bound {:.1f}.\n", kernel.kernel,
                       format_figure(kernel.agreement->error_ratio), kernel.agreement->bound);
  }
}

}  // namespace

std::string check_mark(const Figures& figures) {
  if (!figures.passed) return "not checked";
  return *figures.passed ? "PASSED" : "FAILED";
}

std::string percent_of(double part) {
  return fmt::format("{:.1f} %", 100.0 * part);
}

std::string plus_minus(const ShapeResult& shape, const Figures& figures) {
  const std::optional<Time> time = shape.time(figures);
  if (!time || figures.runs == 1) return "-";
  return percent_of(std::max(time->high_ms - time->ms, time->ms - time->low_ms) / time->ms);
}

std::string clock_in_words(const ShapeResult& shape) {
  if (shape.clock() == Clock::device)
    return "on the device, from the first kernel's start to the last one's end";
  std::vector<std::string> names;
  for (const PeerResult& peer : shape.peers) {
    if (peer.figures.measured() && peer.figures.clock == Clock::host) names.push_back(peer_title(peer.name));
  }
  return fmt::format("by the host's clock, from the call to its completion, for {}",
                     names.empty() ? "the device reports no real times"
                                   : fmt::format("{} has no other", fmt::join(names, ", ")));
}

void write_troubles(std::ostream& out, const Results& results) {
  for (const std::string& trouble : troubles_of(results)) out << fmt::format("Beware: {}\n", trouble);
}

void add_unmeasured(TextTable& table, const KernelResult& kernel, const std::string& name) {
  const char* outcome = kernel.outcome == Outcome::failed ? "FAILED" : "skipped";
  table.add_remark(name.empty() ? kernel.kernel : name,
                   fmt::format("{}: {}", outcome, kernel.figures.reason));
}

void add_unmeasured(TextTable& table, const PeerResult& peer) {
  table.add_remark(peer_title(peer.name), "did not run: " + peer.figures.reason);
}

std::string describe_device(const Facts& facts) {
  return fmt::format("{} ({}, driver {})", facts.device, facts.platform, facts.driver);
}

std::string describe_call(const Case& one) {
  const auto& [size, kind, label] = one;
  std::string text = fmt::format("{}m n k = {}, {}-major", label.empty() ? "" : label + ": ", to_string(size),
                                 kind.layout == Layout::row_major ? "row" : "column");
  if (kind.transpose_a == Transpose::yes) text += ", A transposed";
  if (kind.transpose_b == Transpose::yes) text += ", B transposed";
  if (kind.gap != 0) text += fmt::format(", gaps of {}", kind.gap);
  if (kind.batch_count != 1) text += fmt::format(", batch of {}", kind.batch_count);
  return text + fmt::format(", alpha {}, beta {}", kind.alpha, kind.beta);
}

void write_missing_peers(std::ostream& out, const Results& results) {
  for (const MissingPeer& peer : results.missing_peers) {
    out << fmt::format("{} is missing: {}.\n", peer.title, peer.reason);
  }
}

void write_summary(std::ostream& out, const Results& results) {
  for (const BesidePeer& beside : beside_peers(results)) {
    out << fmt::format(
        "\nBeside {}, {} is {:.2f} times as fast over {} shapes (geometric mean), and at least as fast at {} "
        "of "
        "them ({:.0f} %){}.\nWorst:\n",
        peer_title(beside.peer), own_title(results), beside.geometric_mean, beside.shapes,
        beside.at_least_one, 100.0 * beside.part_at_least_one(),
        beside.within_noise == 0
            ? ""
            : fmt::format("; at {} of the others the runs do not tell", beside.within_noise));
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
    out << fmt::format("{} rounds its operands to fewer bits than fp32 has; its check fails no run.\n",
                       peer_title(peer.name));
  }
  write_missing_peers(out, results);
  if (shape.rotation) {
    out << fmt::format("Rotated: {} copies of A, B and C, {} bytes together.\n", shape.rotation->copies,
                       shape.rotation->bytes);
  }
  if (!shape.naive.reason.empty()) out << fmt::format("naive: {}\n", shape.naive.reason);
}

}  // namespace clgemm::bench
