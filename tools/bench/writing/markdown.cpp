#include "writing/markdown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "common/statistics.hpp"
#include "figures/summary.hpp"
#include "writing/table_parts.hpp"

namespace clgemm::bench {
namespace {

// A shape with fewer kernels is not shown as a ladder.
constexpr std::size_t fewest_steps = 5;

// Aligns the first column to the left, and all others to the right.
TextTable table_of(const std::vector<std::string>& titles) {
  std::vector<TextColumn> columns = {{titles.front(), Align::left}};
  for (std::size_t i = 1; i < titles.size(); ++i) columns.push_back({titles[i]});
  return TextTable(columns);
}

std::string rate(const ShapeResult& shape, const Figures& figures) {
  return figure_or_dash(shape.rate(figures));
}

// If clgemm's choice was not measured, adds the name of the kernel with this rate.
std::string own_rate(const ShapeResult& shape, const KernelResult& own) {
  const std::string text = rate(shape, own.figures);
  return own.is_own_choice() ? text : fmt::format("{} (`{}`)", text, own.kernel);
}

// Adds the cells for matrices in the host's memory, on all devices of the run.
void add_host_cells(std::vector<std::string>& cells, const ShapeResult& shape, const Figures& figures) {
  cells.push_back(figure_or_dash(figures.host_ms));
  const bool is_known = shape.host_bound_ms && figures.host_ms;
  cells.push_back(is_known ? percent_of(*shape.host_bound_ms / *figures.host_ms) : "-");
}

void write_shapes(std::ostream& out, const Results& results) {
  const std::vector<std::string> peers = measured_peers(results);
  std::vector<std::string> titles = {"m x n x k", own_title(results)};
  for (const std::string& peer : peers) {
    titles.push_back(peer_title(peer));
    titles.emplace_back("ratio");
  }
  const bool from_host = std::any_of(results.shapes.begin(), results.shapes.end(), [](const auto& shape) {
    return shape.own() != nullptr && shape.own()->figures.host_ms.has_value();
  });
  if (from_host) titles.insert(titles.end(), {"host to host, ms", "share of the bound"});
  TextTable table = table_of(titles);
  for (const ShapeResult& shape : results.shapes) {
    const KernelResult* own = shape.own();
    if (own == nullptr) continue;
    std::vector<std::string> cells = {describe_labelled(shape), own_rate(shape, *own)};
    for (const std::string& name : peers) {
      const Figures peer = shape.peer_figures(name);
      cells.push_back(rate(shape, peer));
      cells.push_back(factor_or_dash(shape.speed_up(peer, own->figures)));
    }
    if (from_host) add_host_cells(cells, shape, own->figures);
    table.add_row(cells);
  }
  table.print_markdown(out);
}

// Up to this many shapes are listed. For more, for example random ones, a table has a summary.
constexpr std::size_t most_listed = 40;

void write_in_short(std::ostream& out, const Results& results) {
  TextTable table = table_of({"compared with", "shapes", "geometric mean", "at least as fast", "five worst"});
  for (const BesidePeer& beside : beside_peers(results)) {
    std::vector<std::string> worst;
    for (const RatioAtShape& one : beside.worst)
      worst.push_back(fmt::format("{:.2f} at {}", one.ratio, describe_labelled(*one.shape)));
    table.add_row({peer_title(beside.peer), std::to_string(beside.shapes),
                   fmt::format("{:.2f}", beside.geometric_mean),
                   fmt::format("{:.0f} %", 100.0 * beside.part_at_least_one()),
                   fmt::format("{}", fmt::join(worst, ", "))});
  }
  table.print_markdown(out);
}

const KernelResult* naive_of(const ShapeResult& shape) {
  for (const KernelResult& kernel : shape.kernels) {
    if (kernel.asked == "naive" && kernel.figures.measured()) return &kernel;
  }
  return nullptr;
}

void write_ladder(std::ostream& out, const ShapeResult& shape) {
  const KernelResult* naive = naive_of(shape);
  if (naive == nullptr || shape.kernels.size() < fewest_steps) return;
  out << fmt::format("\nEach kernel at {}, in GFLOPS and as a multiple of `naive`:\n\n",
                     describe_shape(shape));
  TextTable table = table_of({"kernel", "GFLOPS", "x naive"});
  const auto add = [&](const std::string& name, const Figures& figures) {
    if (!figures.measured()) return;
    table.add_row({name, rate(shape, figures), factor_or_dash(shape.speed_up(naive->figures, figures))});
  };
  for (const KernelResult& kernel : shape.kernels) {
    if (!kernel.is_own_choice()) add(fmt::format("`{}`", kernel.kernel), kernel.figures);
  }
  for (const PeerResult& peer : shape.peers) add(peer_title(peer.name), peer.figures);
  table.print_markdown(out);
}

std::string peers_with_versions(const Results& results) {
  std::vector<std::string> texts;
  for (const std::string& name : measured_peers(results)) {
    if (const PeerResult* peer = peer_with_version(results, name)) {
      texts.push_back(fmt::format("{} {}", peer_title(name), peer->version));
    }
  }
  return texts.empty() ? "no peer" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string checks(const Results& results) {
  const auto [checked, passed] = checks_of(results);
  if (checked == 0) return "not checked";
  return checked == passed ? "every result PASSED" : fmt::format("{} results FAILED", checked - passed);
}

std::string heading(const Results& results) {
  const Facts& facts = results.facts;
  std::string text = fmt::format("**{}**, {}, driver {}", facts.device, facts.platform, facts.driver);
  if (!facts.host.empty()) text += fmt::format(", host {}", facts.host);
  if (!facts.date.empty()) text += fmt::format(", {}", facts.date);
  text += fmt::format(". Compared with {}; {}.", peers_with_versions(results), checks(results));
  if (results.precision == Precision::fp32) text += " clgemm uses fp32 units only (`--precision fp32`).";
  if (results.ceilings) {
    text += fmt::format(" Measured peak: {} GFLOPS.", format_figure(results.ceilings->fp32_gflops));
  }
  return text;
}

}  // namespace

void write_markdown(std::ostream& out, const std::vector<Results>& runs) {
  bool first = true;
  for (const Results& results : runs) {
    out << (first ? "" : "\n") << heading(results)
        << " Medians; a ratio above 1 means that clgemm is faster.\n\n";
    first = false;
    results.shapes.size() <= most_listed ? write_shapes(out, results) : write_in_short(out, results);
    if (const ShapeResult* shape = ladder_shape(results)) write_ladder(out, *shape);
  }
}

}  // namespace clgemm::bench
