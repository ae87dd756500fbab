// Pictures of rates: over the size, as the ladder of kernels, and below the device's limits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/statistics.hpp"
#include "figures/summary.hpp"
#include "page/pictures.hpp"

namespace clgemm::bench {

bool is_square(const Case& one) {
  const auto& [size, kind, label] = one;
  return size.m == size.n && size.n == size.k && kind.transpose_a == Transpose::no &&
         kind.transpose_b == Transpose::no && kind.gap == 0 && kind.batch_count == 1;
}

namespace {

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

struct Bounds {
  std::optional<double> low;
  std::optional<double> high;
};

// Of the rate, as far as the runs tell.
Bounds bounds_of(const ShapeResult& shape, const Figures& figures) {
  const std::optional<Time> time = shape.time(figures);
  const std::optional<double> rate = shape.rate(figures);
  if (!time || !rate || time->low_ms == time->high_ms) return {};
  return {*rate * time->ms / time->high_ms, *rate * time->ms / time->low_ms};
}

std::string runs_in_words(const Figures& figures) {
  return figures.runs == 1 ? "1 run" : fmt::format("{} runs", figures.runs);
}

void add_point(XySeries& series, const std::string& name, const ShapeResult& shape, const Figures& figures,
               PlaceOf* x) {
  const std::optional<double> rate = shape.rate(figures);
  if (!rate) return;
  const Bounds bounds = bounds_of(shape, figures);
  series.points.push_back({x(shape), *rate,
                           fmt::format("{}, {}: {} GFLOPS, {}", name, describe_shape(shape),
                                       format_figure(*rate), runs_in_words(figures)),
                           bounds.low, bounds.high});
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

Figures naive_of(const ShapeResult& shape) {
  for (const KernelResult& kernel : shape.kernels) {
    if (kernel.kernel == "naive") return kernel.figures;
  }
  return {};
}

// `previous` has no figures where there is none.
void add_bar(BarChart& chart, const std::string& name, const SeriesStyle& style, const ShapeResult& shape,
             const Figures& figures, const Figures& naive, const Figures& previous) {
  const std::optional<double> rate = shape.rate(figures);
  if (!rate) return;
  std::string text = format_figure(*rate);
  if (const auto ratio = shape.speed_up(naive, figures)) text += fmt::format(" · {:.1f} x", *ratio);
  if (const auto ratio = shape.speed_up(previous, figures)) text += fmt::format(" · {:.2f} x", *ratio);
  const Bounds bounds = bounds_of(shape, figures);
  chart.bars.push_back({name, style, *rate, text, bounds.low, bounds.high});
}

ScaleKind kind_for(const std::vector<Bar>& bars) {
  const auto [least, most] = std::minmax_element(
      bars.begin(), bars.end(), [](const Bar& one, const Bar& other) { return one.value < other.value; });
  return !bars.empty() && most->value > least->value * most_on_a_linear_axis ? ScaleKind::logarithmic
                                                                             : ScaleKind::linear;
}

}  // namespace

Picture ladder(const Results& results) {
  Picture picture{"ladder", "The ladder", "", "", {}};
  const ShapeResult* richest = ladder_shape(results);
  if (richest == nullptr) {
    picture.instead = "It needs more than one kernel: --ladder, or --kernel all.";
    return picture;
  }
  const Figures naive = naive_of(*richest);
  const SeriesStyles styles = styles_of(results);
  BarChart chart{"Rates of the kernels at " + describe_shape(*richest), "GFLOPS", {}};
  if (naive.measured()) chart.value_name += " · x naive";
  chart.value_name += " · x the one above";
  Figures previous;
  for (const KernelResult& kernel : richest->kernels) {
    add_bar(chart, kernel.long_title(), styles.kernel(kernel.title()), *richest, kernel.figures, naive,
            previous);
    // A step of the ladder is no step from what clgemm chose.
    if (kernel.figures.measured()) previous = kernel.is_own_choice() ? Figures() : kernel.figures;
  }
  for (const PeerResult& peer : richest->peers) {
    add_bar(chart, peer_title(peer.name), styles.peer(peer.name), *richest, peer.figures, naive, {});
  }
  chart.kind = kind_for(chart.bars);
  if (chart.kind == ScaleKind::logarithmic) chart.value_name += " (logarithmic)";
  picture.caption = fmt::format("m n k = {}: each kernel in the order in which it ran, then the peers.",
                                describe_shape(*richest));
  picture.draw = drawer(std::move(chart));
  return picture;
}

namespace {

// What stands for one product in fp32 on tensor cores, at least.
constexpr double products_of_three_planes = 3.0;

// Operations for each byte that must move at least: A, B and C once, and C twice where it is also read.
double intensity(const Case& shape) {
  const auto m = static_cast<double>(shape.size.m);
  const auto n = static_cast<double>(shape.size.n);
  const auto k = static_cast<double>(shape.size.k);
  const double times_c = shape.kind.beta == 0.0f ? 1.0 : 2.0;
  return operations(shape.size) / (4.0 * (m * k + k * n + m * n * times_c));
}

bool computes_in_fp32(const Results& results, const std::string& peer) {
  const PeerResult* measured = peer_with_version(results, peer);
  return measured == nullptr || measured->figures.computes_in_fp32;
}

// Of all kernels, what speaks for clgemm at each shape. What does not compute in fp32 has other roofs.
std::vector<XySeries> own_and_peers(const Results& results) {
  const SeriesStyles styles = styles_of(results);
  std::vector<std::string> peers = measured_peers(results);
  std::erase_if(peers, [&](const std::string& peer) { return !computes_in_fp32(results, peer); });
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

bool stands_above(const std::vector<XySeries>& all, double limit) {
  return std::any_of(all.begin(), all.end(), [limit](const XySeries& series) {
    return std::any_of(series.points.begin(), series.points.end(),
                       [limit](const XyPoint& point) { return point.y > limit; });
  });
}

std::string roofs_in_words(const Ceilings& ceilings, const std::vector<XySeries>& all) {
  std::string text = fmt::format(
      "The lines are the device's limits, measured here: {} GFLOPS of fp32 fused multiply-adds, {} GB/s of "
      "reading memory",
      format_figure(ceilings.fp32_gflops), format_figure(ceilings.read_gbs));
  if (ceilings.cache_gbs > 0.0)
    text += fmt::format(" and {} GB/s of reading the last cache", format_figure(ceilings.cache_gbs));
  text += ". Data that lie in a cache are bound by its line only.";
  if (ceilings.tensor_gflops > 0.0)
    return text +
           fmt::format(
               " That of the tensor cores, {} GFLOPS, follows from their number and clock, for fp32 made of "
               "three products.",
               format_figure(ceilings.tensor_gflops / products_of_three_planes));
  if (stands_above(all, ceilings.fp32_gflops))
    text +=
        " What stands above the line of the fp32 units was computed by others, tensor cores, whose limit "
        "these "
        "results lack.";
  return text;
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
  const double left = least / 1.5;
  const double right = std::max(most, ridge) * 1.5;
  const double cache = results.ceilings->cache_gbs;
  const double tensor = results.ceilings->tensor_gflops / products_of_three_planes;
  const double highest = std::max(peak, tensor);
  const auto add_slope = [&](const char* name, double gbs) {
    const double end = std::min(right, highest / gbs);
    chart.limits.push_back(
        {fmt::format("{}: {} GB/s", name, format_figure(gbs)), {{left, left * gbs}, {end, end * gbs}}, true});
  };
  add_slope("memory", bandwidth);
  if (cache > bandwidth) add_slope("cache", cache);
  chart.limits.push_back({fmt::format("fp32 units: {} GFLOPS", format_figure(peak)),
                          {{std::max(left, peak / std::max(cache, bandwidth)), peak}, {right, peak}}});
  if (tensor > 0.0) {
    chart.limits.push_back(
        {fmt::format("tensor cores, three products: {} GFLOPS", format_figure(tensor)),
         {{std::max(left, tensor / std::max(cache, bandwidth)), tensor}, {right, tensor}}});
  }
  picture.caption = roofs_in_words(*results.ceilings, chart.series);
  for (const std::string& peer : measured_peers(results)) {
    if (!computes_in_fp32(results, peer))
      picture.caption += fmt::format(" {} does not compute in fp32: other lines bound it.", peer_title(peer));
  }
  picture.draw = drawer(std::move(chart));
  return picture;
}

Picture runs_over_size(const std::vector<std::pair<std::string, const Results*>>& named_runs) {
  Picture picture{
      "devices",
      "All runs at square sizes",
      "clgemm's choice, m = n = k, medians of whole operations, packing included. Higher is better.",
      "",
      {}};
  XyChart chart{"GFLOPS of clgemm over size",
                "m = n = k",
                "GFLOPS (logarithmic)",
                ScaleKind::logarithmic,
                ScaleKind::logarithmic,
                {},
                {},
                {}};
  std::size_t place = 0;
  for (const auto& [name, run] : named_runs) {
    XySeries series{name, style_of_run(place++), {}, true};
    for (const ShapeResult& shape : run->shapes) {
      if (!is_square(shape) || shape.own() == nullptr || !shape.own()->is_own_choice()) continue;
      add_point(series, name, shape, shape.own()->figures,
                [](const Case& one) { return static_cast<double>(one.size.m); });
      chart.x_ticks.push_back(static_cast<double>(shape.size.m));
    }
    std::sort(series.points.begin(), series.points.end(),
              [](const XyPoint& one, const XyPoint& other) { return one.x < other.x; });
    if (series.points.size() > 1) chart.series.push_back(std::move(series));
  }
  if (chart.series.size() < 2) {
    picture.instead = "It needs two runs with square sizes.";
    return picture;
  }
  std::sort(chart.x_ticks.begin(), chart.x_ticks.end());
  chart.x_ticks.erase(std::unique(chart.x_ticks.begin(), chart.x_ticks.end()), chart.x_ticks.end());
  picture.draw = drawer(std::move(chart));
  return picture;
}

}  // namespace clgemm::bench
