// Pictures of what stands against the peers at each shape: speed-ups and error ratios.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "figures/summary.hpp"
#include "page/pictures.hpp"

namespace clgemm::bench {
namespace {

std::vector<const ShapeResult*> shapes_with_own(const Results& results) {
  std::vector<const ShapeResult*> shapes;
  for (const ShapeResult& shape : results.shapes) {
    if (shape.own() != nullptr) shapes.push_back(&shape);
  }
  return shapes;
}

constexpr std::size_t fewest_shapes_over_work = 10;

std::string name_of(const ShapeResult& shape) {
  return shape.label.empty() ? describe_shape(shape) : shape.label;
}

bool has_value(const DotSeries& series) {
  return std::any_of(series.values.begin(), series.values.end(),
                     [](const std::optional<double>& value) { return value.has_value(); });
}

}  // namespace

Picture speed_up_over_peers(const Results& results) {
  Picture picture{
      "speed-up",
      "Speed-up over each peer",
      "How many times as fast as the peer on the same data in the same run, by medians: clgemm's choice "
      "where it was measured, else its fastest kernel. Right of 1, clgemm is faster.",
      "",
      {}};
  DotChart chart{"Speed-up over each peer by shape",
                 "times as fast as the peer",
                 " x",
                 {},
                 {},
                 1.0,
                 "as fast as the peer",
                 {},
                 ""};
  const std::vector<const ShapeResult*> shapes = shapes_with_own(results);
  for (const ShapeResult* shape : shapes) chart.rows.push_back(name_of(*shape));
  const SeriesStyles styles = styles_of(results);
  for (const std::string& peer : measured_peers(results)) {
    DotSeries series{"over " + peer_title(peer), styles.peer(peer), {}};
    for (const ShapeResult* shape : shapes) {
      series.values.push_back(shape->speed_up(shape->peer_figures(peer), shape->own()->figures));
    }
    if (has_value(series)) chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) {
    picture.instead = "No peer was measured.";
  } else {
    picture.draw = drawer(std::move(chart));
  }
  return picture;
}

Picture speed_up_over_work(const Results& results) {
  Picture picture{"speed-up-over-work",
                  "Speed-up over the size of the work",
                  "Each point is a shape: how many times as fast as the peer, over its operations. Shapes on "
                  "the line are as "
                  "fast. Few points below it, and none far below, is what random shapes are for.",
                  "",
                  {}};
  XyChart chart{"Speed-up over each peer by operations",
                "GFLOP of one call (logarithmic)",
                "times as fast as the peer (logarithmic)",
                ScaleKind::logarithmic,
                ScaleKind::logarithmic,
                {},
                {},
                {}};
  const std::vector<const ShapeResult*> shapes = shapes_with_own(results);
  const SeriesStyles styles = styles_of(results);
  double least = std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (const std::string& peer : measured_peers(results)) {
    XySeries series{"over " + peer_title(peer), styles.peer(peer), {}, false};
    for (const ShapeResult* shape : shapes) {
      const auto ratio = shape->speed_up(shape->peer_figures(peer), shape->own()->figures);
      const double gflop = operations(*shape) * 1e-9;
      if (!ratio) continue;
      series.points.push_back(
          {gflop, *ratio, fmt::format("{}: {:.2f} x {}", name_of(*shape), *ratio, peer_title(peer)), {}, {}});
      least = std::min(least, gflop);
      most = std::max(most, gflop);
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  if (shapes.size() < fewest_shapes_over_work || chart.series.empty()) {
    picture.instead = "It needs ten shapes beside a peer: --random 60.";
    return picture;
  }
  chart.limits.push_back({"as fast", {{least, 1.0}, {most, 1.0}}});
  picture.draw = drawer(std::move(chart));
  return picture;
}

Picture error_ratios(const Results& results) {
  Picture picture{"error-ratio",
                  "Error ratios",
                  "The largest error of an element against float64, in units of 2^-24 (|alpha| |A||B| + "
                  "|beta| |C|). Lower "
                  "is better; the mark at the right of each line is the bound, 8 + 2 sqrt(k).",
                  "",
                  {}};
  DotChart chart{"Error ratios by shape",   "error ratio (logarithmic)", "", {}, {}, std::nullopt, "", {},
                 "| the bound of the shape"};
  const std::vector<const ShapeResult*> shapes = shapes_with_own(results);
  const SeriesStyles styles = styles_of(results);
  DotSeries own{own_title(results), styles.kernel("clgemm"), {}};
  for (const ShapeResult* shape : shapes) {
    chart.rows.push_back(name_of(*shape));
    chart.marks.push_back(shape->error_bound);
    own.values.push_back(shape->own()->figures.error_ratio);
  }
  if (!has_value(own)) {
    picture.instead = "The results were not checked (--no-check).";
    return picture;
  }
  chart.series.push_back(std::move(own));
  for (const std::string& peer : measured_peers(results)) {
    DotSeries& series = chart.series.emplace_back(DotSeries{peer_title(peer), styles.peer(peer), {}});
    for (const ShapeResult* shape : shapes) {
      series.values.push_back(shape->peer_figures(peer).error_ratio);
    }
  }
  picture.draw = drawer(std::move(chart));
  return picture;
}

}  // namespace clgemm::bench
