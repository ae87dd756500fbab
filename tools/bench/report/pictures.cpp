#include "report/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "report/charts.hpp"
#include "report/page_data.hpp"
#include "text_table.hpp"

namespace clgemm::bench {
namespace {

bool is_square(const Row& row) {
  return row.m == row.n && row.n == row.k && !row.transpose_a && !row.transpose_b;
}

template <class Chart>
std::function<std::string(double)> drawer(Chart chart) {
  return [chart = std::move(chart)](double width) { return draw(chart, width); };
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
                                  PlaceOf* x, bool joined) {
  std::vector<XySeries> all;
  const SeriesStyles styles = device.styles();
  for (const std::string& kernel : device.kernels) {
    XySeries series{kernel, styles.kernel(kernel), {}, joined};
    for (const ShapeRows* shape : shapes) {
      for (const Row* row : shape->kernels) {
        if (row->title() == kernel) add_point(series, *row, row->figures, x);
      }
    }
    all.push_back(std::move(series));
  }
  for (const std::string& peer : device.peers) {
    XySeries series{peer_title(peer), styles.peer(peer), {}, joined};
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
  chart.series = series_over(
      device, squares, [](const Row& row) { return static_cast<double>(row.m); }, true);
  chart.y_kind = kind_for(chart.series);
  if (chart.y_kind == ScaleKind::logarithmic) chart.y_name = "GFLOPS (logarithmic)";
  if (chart.series.empty()) {
    picture.instead = "Nothing was measured at square sizes.";
  } else {
    picture.draw = drawer(std::move(chart));
  }
  return picture;
}

std::size_t measured_kernels(const ShapeRows& shape) {
  return static_cast<std::size_t>(std::count_if(shape.kernels.begin(), shape.kernels.end(),
                                                [](const Row* row) { return row->figures.measured(); }));
}

std::optional<double> naive_ms(const ShapeRows& shape) {
  for (const Row* row : shape.kernels) {
    if (row->kernel == "naive") return row->figures.median_ms;
  }
  return std::nullopt;
}

Bar bar_of(const std::string& name, const SeriesStyle& style, const Figures& figures,
           const std::optional<double>& naive) {
  std::string text = format_figure(*figures.gflops);
  if (naive) text += fmt::format("   {:.1f} x", *naive / *figures.median_ms);
  return {name, style, *figures.gflops, text};
}

Picture ladder(const DeviceRows& device) {
  Picture picture{"ladder", "The ladder", "", "", {}};
  const auto richest = std::max_element(device.shapes.begin(), device.shapes.end(),
                                        [](const ShapeRows& one, const ShapeRows& other) {
                                          return measured_kernels(one) < measured_kernels(other);
                                        });
  if (measured_kernels(*richest) < 2) {
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

// Operations for each byte that must move at least: A, B and C once, and C twice where it is also read.
double intensity(const Row& row) {
  const auto m = static_cast<double>(row.m);
  const auto n = static_cast<double>(row.n);
  const auto k = static_cast<double>(row.k);
  return row.operations() / (4.0 * (m * k + k * n + m * n * (row.beta == 0.0 ? 1.0 : 2.0)));
}

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
  std::vector<const ShapeRows*> shapes;
  double least = peak / bandwidth;
  double most = peak / bandwidth;
  for (const ShapeRows& shape : device.shapes) {
    shapes.push_back(&shape);
    least = std::min(least, intensity(*shape.any));
    most = std::max(most, intensity(*shape.any));
  }
  chart.series = series_over(device, shapes, intensity, false);
  const double ridge = peak / bandwidth;
  const double right = std::max(most, ridge) * 1.5;
  chart.limits.push_back({"", {{least / 1.5, least / 1.5 * bandwidth}, {ridge, peak}}});
  chart.limits.push_back({fmt::format("{} GFLOPS", format_figure(peak)), {{ridge, peak}, {right, peak}}});
  picture.caption = fmt::format(
      "The lines are what was measured here: {} GFLOPS of fp32 fused multiply-adds, and {} GB/s of reading "
      "memory. "
      "Points above the slope work on data that caches hold.",
      format_figure(peak), format_figure(bandwidth));
  picture.draw = drawer(std::move(chart));
  return picture;
}

std::vector<const ShapeRows*> shapes_with_own(const DeviceRows& device) {
  std::vector<const ShapeRows*> shapes;
  for (const ShapeRows& shape : device.shapes) {
    if (shape.own() != nullptr) shapes.push_back(&shape);
  }
  return shapes;
}

Picture speed_up_over_peers(const DeviceRows& device) {
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
  const std::vector<const ShapeRows*> shapes = shapes_with_own(device);
  for (const ShapeRows* shape : shapes) chart.rows.push_back(name_of(*shape));
  for (const std::string& peer : device.peers) {
    DotSeries series{"over " + peer_title(peer), device.styles().peer(peer), {}};
    for (const ShapeRows* shape : shapes) {
      const PeerRow* row = shape->peer(peer);
      const bool both = row != nullptr && row->figures.measured();
      series.values.push_back(both ? std::optional(*row->figures.median_ms / *shape->own()->figures.median_ms)
                                   : std::nullopt);
    }
    const auto has_value = [](const std::optional<double>& value) { return value.has_value(); };
    if (std::any_of(series.values.begin(), series.values.end(), has_value))
      chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) {
    picture.instead = "No peer was measured.";
  } else {
    picture.draw = drawer(std::move(chart));
  }
  return picture;
}

Picture error_ratios(const DeviceRows& device) {
  Picture picture{"error-ratio",
                  "Error ratios",
                  "The largest error of an element against float64, in units of 2^-24 (|alpha| |A||B| + "
                  "|beta| |C|). Lower "
                  "is better; the mark at the right of each line is the bound, 8 + 2 sqrt(k).",
                  "",
                  {}};
  DotChart chart{"Error ratios by shape",   "error ratio (logarithmic)", "", {}, {}, std::nullopt, "", {},
                 "| the bound of the shape"};
  const std::vector<const ShapeRows*> shapes = shapes_with_own(device);
  DotSeries own{"clgemm", device.styles().kernel("clgemm"), {}};
  bool any = false;
  for (const ShapeRows* shape : shapes) {
    chart.rows.push_back(name_of(*shape));
    chart.marks.push_back(shape->any->error_bound);
    own.values.push_back(shape->own()->figures.error_ratio);
    any = any || own.values.back().has_value();
  }
  chart.series.push_back(std::move(own));
  for (const std::string& peer : device.peers) {
    DotSeries series{peer_title(peer), device.styles().peer(peer), {}};
    for (const ShapeRows* shape : shapes) {
      const PeerRow* row = shape->peer(peer);
      series.values.push_back(row == nullptr ? std::nullopt : row->figures.error_ratio);
    }
    chart.series.push_back(std::move(series));
  }
  if (any) {
    picture.draw = drawer(std::move(chart));
  } else {
    picture.instead = "The results were not checked (--no-check).";
  }
  return picture;
}

}  // namespace

std::vector<Picture> pictures_of(const std::vector<Row>& rows) {
  const DeviceRows device = by_shape(rows);
  return {over_size(device), ladder(device), roofline(device), speed_up_over_peers(device),
          error_ratios(device)};
}

}  // namespace clgemm::bench
