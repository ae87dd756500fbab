#include "writing/markdown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "common/statistics.hpp"
#include "page/page_data.hpp"

namespace clgemm::bench {
namespace {

// Fewer kernels at one shape are no ladder.
constexpr std::size_t fewest_steps = 5;

// A bar would end the cell.
std::string cell(std::string text) {
  for (std::size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar + 2)) {
    text.replace(bar, 1, "\\|");
  }
  return text;
}

std::string row_of(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

// The first column to the left, all others to the right.
std::string rule(std::size_t columns) {
  std::string text = "|---|";
  for (std::size_t i = 1; i < columns; ++i) text += "--:|";
  return text + '\n';
}

std::string rate(const Figures& figures) {
  return figures.measured() && figures.gflops ? format_figure(*figures.gflops) : "-";
}

std::string ratio(const Figures& peer, const Figures& own) {
  if (!peer.measured() || !own.measured()) return "-";
  return fmt::format("{:.2f}", speed_up(peer, own));
}

void write_shapes(std::ostream& out, const DeviceRows& device) {
  std::vector<std::string> titles = {"m x n x k", "clgemm"};
  for (const std::string& peer : device.peers) {
    titles.push_back(peer_title(peer));
    titles.emplace_back("ratio");
  }
  out << row_of(titles) << rule(titles.size());
  for (const ShapeRows& shape : device.shapes) {
    const Row* own = shape.own();
    if (own == nullptr) continue;
    std::vector<std::string> cells = {cell(describe_shape(*shape.any)), rate(own->figures)};
    if (!shape.any->label.empty()) cells[0] = cell(fmt::format("{}: {}", shape.any->label, cells[0]));
    for (const std::string& name : device.peers) {
      const PeerRow* peer = shape.peer(name);
      cells.push_back(peer == nullptr ? "-" : rate(peer->figures));
      cells.push_back(peer == nullptr ? "-" : ratio(peer->figures, own->figures));
    }
    out << row_of(cells);
  }
}

const Row* naive_of(const ShapeRows& shape) {
  for (const Row* row : shape.kernels) {
    if (row->asked == "naive" && row->figures.measured()) return row;
  }
  return nullptr;
}

void write_ladder(std::ostream& out, const ShapeRows& shape) {
  const Row* naive = naive_of(shape);
  if (naive == nullptr || shape.kernels.size() < fewest_steps) return;
  out << fmt::format("\nThe kernels at {}, GFLOPS and the factor over `naive`:\n\n",
                     describe_shape(*shape.any));
  out << row_of({"kernel", "GFLOPS", "x naive"}) << rule(3);
  for (const Row* row : shape.kernels) {
    if (!row->figures.measured() || row->asked == "auto") continue;
    out << row_of(
        {fmt::format("`{}`", row->kernel), rate(row->figures), ratio(naive->figures, row->figures)});
  }
  for (const PeerRow& peer : shape.peers) {
    if (!peer.figures.measured()) continue;
    out << row_of({peer_title(peer.name), rate(peer.figures), ratio(naive->figures, peer.figures)});
  }
}

std::string peers_with_versions(const DeviceRows& device) {
  std::vector<std::string> texts;
  for (const std::string& name : device.peers) {
    for (const ShapeRows& shape : device.shapes) {
      const PeerRow* peer = shape.peer(name);
      if (peer == nullptr || peer->version.empty()) continue;
      texts.push_back(fmt::format("{} {}", peer_title(name), peer->version));
      break;
    }
  }
  return texts.empty() ? "no peer" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string checks(const DeviceRows& device) {
  const auto [checked, passed] = checks_of(device);
  if (checked == 0) return "not checked";
  return checked == passed ? "every result PASSED" : fmt::format("{} results FAILED", checked - passed);
}

std::string heading(const std::vector<Row>& rows, const DeviceRows& device) {
  const Row& first = rows.front();
  std::string text = fmt::format("**{}** ({}, driver {}", first.device, first.platform, first.driver);
  if (!first.host.empty()) text += fmt::format("; {}", first.host);
  if (!first.date.empty()) text += fmt::format("; {}", first.date);
  text += fmt::format("), beside {}; {}.", peers_with_versions(device), checks(device));
  if (first.precision == "fp32") text += " clgemm on fp32 units alone (`--precision fp32`).";
  if (device.ceilings && device.ceilings->fp32_gflops) {
    text +=
        fmt::format(" Measured there as the peak: {} GFLOPS.", format_figure(*device.ceilings->fp32_gflops));
  }
  return text;
}

}  // namespace

void write_markdown(std::ostream& out, const std::vector<Row>& rows) {
  bool first = true;
  for (const std::vector<Row>& of_device : by_run(rows)) {
    const DeviceRows device = by_shape(of_device);
    out << (first ? "" : "\n") << heading(of_device, device)
        << " GFLOPS by medians, and how many times as fast as the peer (where that runs on the host, by the "
           "host's clock for "
           "both, from the call to its completion):\n\n";
    first = false;
    write_shapes(out, device);
    if (const ShapeRows* shape = ladder_shape(device)) write_ladder(out, *shape);
  }
}

}  // namespace clgemm::bench
