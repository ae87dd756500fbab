// Pictures of rates: over the size, as the ladder of kernels, and below the device's limits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/statistics.hpp"
#include "page/device_pictures.hpp"

namespace clgemm::bench {
namespace {

bool is_square(const Row& row) {
  return row.m == row.n && row.n == row.k && !row.transpose_a && !row.transpose_b && row.gap == 0;
}

// Rates that differ by more than this are told apart on a logarithmic axis only.
constexpr double most_on_a_linear_axis = 25.0;

ScaleKind kind_for(const std::vector<XySeries>& series) {
  double least = INFINITY;
  double most = 0.0;
  for (const XySeries& one : series) {
    for (const XyPoint& point : one.points) {
      least = std::min(least, point.y);
      most = std::max(most, point.y);
    }
  }
  return most > least * most_on_a_linear_axis ? ScaleKind::logarithmic : ScaleKind::linear;
}

// A point for each shape at which the kernel or peer was measured; `x` is what the shape is on the x axis.
using PlaceOf = double(const Row&);

void add_point(XySeries& series, const Row& shape, const Figures& figures, PlaceOf* x) {
  if (!figures.measured() || !figures.gflops) return;
  series.points.push_back(
      {x(shape), *figures.gflops,
       fmt::format("{}, {}: {} GFLOPS", series.name, describe_shape(shape), format_figure(*figures.gflops))});
}

std::vector<XySeries> series_over(const DeviceRows& device, const std::vector<const ShapeRows*>& shapes,
                                  PlaceOf* x) {
  std::vector<XySeries> all;
  const SeriesStyles styles = device.styles();
  for (const std::string& kernel : device.kernels) {
    XySeries series{kernel, styles.kernel(kernel), {}, true};
    for (const ShapeRows* shape : shapes) {
      for (const Row* row : shape->kernels) {
        if (row->title() == kernel) add_point(series, *row, row->figures, x);
      }
    }
    all.push_back(std::move(series));
  }
  for (const std::string& peer : device.peers) {
    XySeries series{peer_title(peer), styles.peer(peer), {}, true};
    for (const ShapeRows* shape : shapes) {
      const PeerRow* row = shape->peer(peer);
      if (row != nullptr) add_point(series, *shape->any, row->figures, x);
    }
    all.push_back(std::move(series));
  }
  std::erase_if(all, [](const XySeries& series) { return series.points.empty(); });
  for (XySeries& series : all) {
    std::sort(series.points.begin(), series.points.end(),
              [](const XyPoint& one, const XyPoint& other) { return one.x < other.x; });
  }
  return all;
}

}  // namespace

Picture over_size(const DeviceRows& device) {
  Picture picture{
      "gflops",
      "Rate over size",
      "Square multiplies, m = n = k. Medians of whole operations, packing included. Higher is better.",
      "",
      {}};
  std::vector<const ShapeRows*> squares;
  for (const ShapeRows& shape : device.shapes) {
    if (is_square(*shape.any)) squares.push_back(&shape);
  }
  if (squares.size() < 2) {
    picture.instead = "It needs two square sizes: --size 256 --size 512, or --suite seeds.";
    return picture;
  }
  XyChart chart{"GFLOPS over size", "m = n = k", "GFLOPS", ScaleKind::logarithmic,
                ScaleKind::linear,  {},          {},       {}};
  for (const ShapeRows* shape : squares) chart.x_ticks.push_back(static_cast<double>(shape->any->m));
  std::sort(chart.x_ticks.begin(), chart.x_ticks.end());
  chart.series = series_over(device, squares, [](const Row& row) { return static_cast<double>(row.m); });
  chart.y_kind = kind_for(chart.series);
  if (chart.y_kind == ScaleKind::logarithmic) chart.y_name = "GFLOPS (logarithmic)";
  if (chart.series.empty()) {
    picture.instead = "Nothing was measured at square sizes.";
  } else {
    picture.draw = drawer(std::move(chart));
  }
  return picture;
}

namespace {

std::optional<double> naive_ms(const ShapeRows& shape) {
  for (const Row* row : shape.kernels) {
    if (row->kernel == "naive") return row->figures.median_ms;
  }
  return std::nullopt;
}

Bar bar_of(const std::string& name, const SeriesStyle& style, const Figures& figures,
           const std::optional<double>& naive) {
  std::string text = format_figure(*figures.gflops);
  if (naive) text += fmt::format(" · {:.1f} x", *naive / *figures.median_ms);
  return {name, style, *figures.gflops, text};
}

}  // namespace

Picture ladder(const DeviceRows& device) {
  Picture picture{"ladder", "The ladder", "", "", {}};
  const ShapeRows* richest = ladder_shape(device);
  if (richest == nullptr) {
    picture.instead = "It needs more than one kernel: --ladder, or --kernel all.";
    return picture;
  }
  const std::optional<double> naive = naive_ms(*richest);
  const SeriesStyles styles = device.styles();
  BarChart chart{"Rates of the kernels at " + describe_shape(*richest->any), "GFLOPS", {}};
  if (naive) chart.value_name += ", and the factor over naive";
  for (const Row* row : richest->kernels) {
    if (!row->figures.measured() || !row->figures.gflops) continue;
    const std::string name = row->asked == "auto" ? fmt::format("clgemm ({})", row->kernel) : row->kernel;
    chart.bars.push_back(bar_of(name, styles.kernel(row->title()), row->figures, naive));
  }
  for (const PeerRow& peer : richest->peers) {
    if (!peer.figures.measured() || !peer.figures.gflops) continue;
    chart.bars.push_back(bar_of(peer_title(peer.name), styles.peer(peer.name), peer.figures, naive));
  }
  picture.caption = fmt::format("m n k = {}: each kernel in the order in which it ran, then the peers.",
                                describe_shape(*richest->any));
  picture.draw = drawer(std::move(chart));
  return picture;
}

namespace {

// Operations for each byte that must move at least: A, B and C once, and C twice where it is also read.
double intensity(const Row& row) {
  const auto m = static_cast<double>(row.m);
  const auto n = static_cast<double>(row.n);
  const auto k = static_cast<double>(row.k);
  return row.operations() / (4.0 * (m * k + k * n + m * n * (row.beta == 0.0 ? 1.0 : 2.0)));
}

// Of all kernels, what speaks for clgemm at each shape.
std::vector<XySeries> own_and_peers(const DeviceRows& device) {
  const SeriesStyles styles = device.styles();
  std::vector<XySeries> all = {{"clgemm", styles.kernel("clgemm"), {}, false}};
  for (const std::string& peer : device.peers)
    all.push_back({peer_title(peer), styles.peer(peer), {}, false});
  for (const ShapeRows& shape : device.shapes) {
    if (shape.own() != nullptr) add_point(all[0], *shape.any, shape.own()->figures, intensity);
    for (std::size_t i = 0; i < device.peers.size(); ++i) {
      const PeerRow* peer = shape.peer(device.peers[i]);
      if (peer != nullptr) add_point(all[i + 1], *shape.any, peer->figures, intensity);
    }
  }
  std::erase_if(all, [](const XySeries& series) { return series.points.empty(); });
  return all;
}

}  // namespace

Picture roofline(const DeviceRows& device) {
  Picture picture{"roofline", "Roofline", "", "", {}};
  if (!device.ceilings || !device.ceilings->fp32_gflops || !device.ceilings->read_gbs) {
    picture.instead =
        "It needs the ceilings of this device as measured in the same run: clgemm-bench --ceilings --report "
        "DIR.";
    return picture;
  }
  const double peak = *device.ceilings->fp32_gflops;
  const double bandwidth = *device.ceilings->read_gbs;
  XyChart chart{"Rates below the device's measured limits",
                "operations a byte of A, B and C",
                "GFLOPS (logarithmic)",
                ScaleKind::logarithmic,
                ScaleKind::logarithmic,
                {},
                {},
                {}};
  const double ridge = peak / bandwidth;
  double least = ridge;
  double most = ridge;
  for (const ShapeRows& shape : device.shapes) {
    least = std::min(least, intensity(*shape.any));
    most = std::max(most, intensity(*shape.any));
  }
  chart.series = own_and_peers(device);
  const double right = std::max(most, ridge) * 1.5;
  chart.limits.push_back({fmt::format("{} GB/s", format_figure(bandwidth)),
                          {{least / 1.5, least / 1.5 * bandwidth}, {ridge, peak}},
                          true});
  chart.limits.push_back({fmt::format("{} GFLOPS", format_figure(peak)), {{ridge, peak}, {right, peak}}});
  picture.caption = fmt::format(
      "The lines are what was measured here: {} GFLOPS of fp32 fused multiply-adds, and {} GB/s of reading "
      "memory. "
      "Points above the slope work on data that caches hold.",
      format_figure(peak), format_figure(bandwidth));
  picture.draw = drawer(std::move(chart));
  return picture;
}

}  // namespace clgemm::bench
