// Pictures of rates: over the size, as the ladder of kernels, and below the device's limits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/statistics.hpp"
#include "figures/summary.hpp"
#include "page/pictures.hpp"

namespace clgemm::bench {
namespace {

bool is_square(const Case& one) {
  const auto& [size, kind, label] = one;
  return size.m == size.n && size.n == size.k && kind.transpose_a == Transpose::no &&
         kind.transpose_b == Transpose::no && kind.gap == 0;
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
using PlaceOf = double(const Case&);

void add_point(XySeries& series, const std::string& name, const Case& shape, const Figures& figures,
               PlaceOf* x) {
  if (!figures.measured() || !figures.gflops) return;
  series.points.push_back(
      {x(shape), *figures.gflops,
       fmt::format("{}, {}: {} GFLOPS", name, describe_shape(shape), format_figure(*figures.gflops))});
}

void remove_empty(std::vector<XySeries>& all) {
  std::erase_if(all, [](const XySeries& series) { return series.points.empty(); });
}

std::vector<XySeries> series_over(const Results& results, const std::vector<const ShapeResult*>& shapes,
                                  PlaceOf* x) {
  std::vector<XySeries> all;
  const SeriesStyles styles = styles_of(results);
  for (const std::string& title : kernel_titles(results)) {
    XySeries& series = all.emplace_back(XySeries{title, styles.kernel(title), {}, true});
    for (const ShapeResult* shape : shapes) {
      for (const KernelResult& kernel : shape->kernels) {
        if (kernel.title() == title) add_point(series, title, *shape, kernel.figures, x);
      }
    }
  }
  for (const std::string& peer : measured_peers(results)) {
    XySeries& series = all.emplace_back(XySeries{peer_title(peer), styles.peer(peer), {}, true});
    for (const ShapeResult* shape : shapes) {
      add_point(series, series.name, *shape, shape->peer_figures(peer), x);
    }
  }
  remove_empty(all);
  for (XySeries& series : all) {
    std::sort(series.points.begin(), series.points.end(),
              [](const XyPoint& one, const XyPoint& other) { return one.x < other.x; });
  }
  return all;
}

}  // namespace

SeriesStyles styles_of(const Results& results) {
  std::vector<std::string> others = kernel_titles(results);
  std::erase(others, "clgemm");
  return SeriesStyles(others);
}

Picture over_size(const Results& results) {
  Picture picture{
      "gflops",
      "Rate over size",
      "Square multiplies, m = n = k. Medians of whole operations, packing included. Higher is better.",
      "",
      {}};
  std::vector<const ShapeResult*> squares;
  for (const ShapeResult& shape : results.shapes) {
    if (is_square(shape)) squares.push_back(&shape);
  }
  if (squares.size() < 2) {
    picture.instead = "It needs two square sizes: --size 256 --size 512, or --suite seeds.";
    return picture;
  }
  XyChart chart{"GFLOPS over size", "m = n = k", "GFLOPS", ScaleKind::logarithmic,
                ScaleKind::linear,  {},          {},       {}};
  for (const ShapeResult* shape : squares) chart.x_ticks.push_back(static_cast<double>(shape->size.m));
  std::sort(chart.x_ticks.begin(), chart.x_ticks.end());
  chart.series =
      series_over(results, squares, [](const Case& shape) { return static_cast<double>(shape.size.m); });
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

std::optional<double> naive_ms(const ShapeResult& shape) {
  for (const KernelResult& kernel : shape.kernels) {
    if (kernel.kernel == "naive") return kernel.figures.median_ms;
  }
  return std::nullopt;
}

void add_bar(BarChart& chart, const std::string& name, const SeriesStyle& style, const Figures& figures,
             const std::optional<double>& naive) {
  if (!figures.measured() || !figures.gflops) return;
  std::string text = format_figure(*figures.gflops);
  if (naive) text += fmt::format(" · {:.1f} x", *naive / *figures.median_ms);
  chart.bars.push_back({name, style, *figures.gflops, text});
}

}  // namespace

Picture ladder(const Results& results) {
  Picture picture{"ladder", "The ladder", "", "", {}};
  const ShapeResult* richest = ladder_shape(results);
  if (richest == nullptr) {
    picture.instead = "It needs more than one kernel: --ladder, or --kernel all.";
    return picture;
  }
  const std::optional<double> naive = naive_ms(*richest);
  const SeriesStyles styles = styles_of(results);
  BarChart chart{"Rates of the kernels at " + describe_shape(*richest), "GFLOPS", {}};
  if (naive) chart.value_name += ", and the factor over naive";
  for (const KernelResult& kernel : richest->kernels) {
    add_bar(chart, kernel.long_title(), styles.kernel(kernel.title()), kernel.figures, naive);
  }
  for (const PeerResult& peer : richest->peers) {
    add_bar(chart, peer_title(peer.name), styles.peer(peer.name), peer.figures, naive);
  }
  picture.caption = fmt::format("m n k = {}: each kernel in the order in which it ran, then the peers.",
                                describe_shape(*richest));
  picture.draw = drawer(std::move(chart));
  return picture;
}

namespace {

// Operations for each byte that must move at least: A, B and C once, and C twice where it is also read.
double intensity(const Case& shape) {
  const auto m = static_cast<double>(shape.size.m);
  const auto n = static_cast<double>(shape.size.n);
  const auto k = static_cast<double>(shape.size.k);
  const double times_c = shape.kind.beta == 0.0f ? 1.0 : 2.0;
  return operations(shape.size) / (4.0 * (m * k + k * n + m * n * times_c));
}

// Of all kernels, what speaks for clgemm at each shape.
std::vector<XySeries> own_and_peers(const Results& results) {
  const SeriesStyles styles = styles_of(results);
  const std::vector<std::string> peers = measured_peers(results);
  std::vector<XySeries> all = {{own_title(results), styles.kernel("clgemm"), {}, false}};
  for (const std::string& peer : peers) all.push_back({peer_title(peer), styles.peer(peer), {}, false});
  for (const ShapeResult& shape : results.shapes) {
    const KernelResult* own = shape.own();
    if (own != nullptr) add_point(all[0], own->title(), shape, own->figures, intensity);
    for (std::size_t i = 0; i < peers.size(); ++i) {
      add_point(all[i + 1], all[i + 1].name, shape, shape.peer_figures(peers[i]), intensity);
    }
  }
  remove_empty(all);
  return all;
}

}  // namespace

Picture roofline(const Results& results) {
  Picture picture{"roofline", "Roofline", "", "", {}};
  if (!results.ceilings) {
    picture.instead =
        "It needs the ceilings of this device as measured in the same run: clgemm-bench --ceilings --report "
        "DIR.";
    return picture;
  }
  const double peak = results.ceilings->fp32_gflops;
  const double bandwidth = results.ceilings->read_gbs;
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
  for (const ShapeResult& shape : results.shapes) {
    least = std::min(least, intensity(shape));
    most = std::max(most, intensity(shape));
  }
  chart.series = own_and_peers(results);
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
