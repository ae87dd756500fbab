// A picture of multiplies from host to host over the number of devices that share them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "common/statistics.hpp"
#include "page/pictures.hpp"

namespace clgemm::bench {
namespace {

// A line of the picture: who multiplied, and the side of the matrices.
struct Line {
  std::string name;
  std::size_t side = 0;

  bool operator<(const Line& other) const { return std::tie(name, side) < std::tie(other.name, other.side); }
  std::string text() const { return fmt::format("{}, {}", name, side); }
};

using Rates = std::map<Line, std::map<std::size_t, double>>;  // by the number of devices

void add(Rates& rates, const std::string& name, const ShapeResult& shape, std::size_t devices,
         const Figures& figures) {
  if (!figures.host_ms || *figures.host_ms <= 0.0 || figures.failed()) return;
  double& rate = rates[{name, shape.size.m}][devices];
  rate = std::max(rate, operations(shape) / *figures.host_ms * 1e-6);
}

Rates rates_of(const std::vector<std::pair<std::string, const Results*>>& named_runs) {
  Rates rates;
  for (const auto& [name, run] : named_runs) {
    const std::size_t devices = run->facts.devices();
    for (const ShapeResult& shape : run->shapes) {
      if (!is_square(shape)) continue;
      if (const KernelResult* own = shape.own()) add(rates, own->title(), shape, devices, own->figures);
      for (const PeerResult& peer : shape.peers)
        add(rates, peer_title(peer.name), shape, devices, peer.figures);
    }
  }
  std::erase_if(rates, [](const auto& line) { return line.second.size() < 2; });
  return rates;
}

}  // namespace

Picture rates_over_devices(const std::vector<std::pair<std::string, const Results*>>& named_runs) {
  Picture picture{"number-of-devices",
                  "Several devices",
                  "Multiplies from host to host at square sizes, transfers included, medians; each shared by "
                  "so many devices. Higher is better.",
                  "",
                  {}};
  XyChart chart{"GFLOPS from host to host over the number of devices",
                "devices",
                "GFLOPS (logarithmic)",
                ScaleKind::logarithmic,
                ScaleKind::logarithmic,
                {},
                {},
                {}};
  std::set<std::size_t> counts;
  std::size_t place = 0;
  for (const auto& [line, rates] : rates_of(named_runs)) {
    XySeries series{line.text(), style_of_run(place++), {}, true};
    for (const auto& [devices, rate] : rates) {
      counts.insert(devices);
      series.points.push_back({static_cast<double>(devices),
                               rate,
                               fmt::format("{}, {} {}: {} GFLOPS", line.text(), devices,
                                           devices == 1 ? "device" : "devices", format_figure(rate)),
                               {},
                               {}});
    }
    chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) {
    picture.instead = "It needs runs with --host-to-host on different numbers of devices (--device twice).";
    return picture;
  }
  for (const std::size_t count : counts) chart.x_ticks.push_back(static_cast<double>(count));
  picture.draw = drawer(std::move(chart));
  return picture;
}

}  // namespace clgemm::bench
