// A line a name, with points on it: speed-ups by shape around 1, error ratios below their bounds.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "page/charts.hpp"
#include "page/legend.hpp"

namespace clgemm::bench {
namespace {

constexpr double row_height = 30.0;

// Where names would take too much of the width, each stands above its line.
constexpr double most_for_names = 0.42;
constexpr double height_of_names = 18.0;

// All values of the picture on a logarithmic axis, with room around them.
Scale scale_of(const DotChart& chart, double from, double to) {
  double low = chart.reference.value_or(std::numeric_limits<double>::infinity());
  double high = chart.reference.value_or(0.0);
  const auto add = [&](const std::optional<double>& value) {
    if (!value || *value <= 0.0) return;
    low = std::min(low, *value);
    high = std::max(high, *value);
  };
  for (const DotSeries& series : chart.series) std::for_each(series.values.begin(), series.values.end(), add);
  std::for_each(chart.marks.begin(), chart.marks.end(), add);
  return {ScaleKind::logarithmic, low / 1.25, high * 1.25, from, to};
}

void draw_axis(Svg& svg, const DotChart& chart, const Scale& scale, double top, double bottom) {
  double free_from = 0.0;
  for (const double tick : log_ticks(scale.low(), scale.high())) {
    const std::string text = tick_text(tick) + chart.unit;
    const double half = text_width(text) / 2.0;
    svg.line("grid", {scale(tick), top}, {scale(tick), bottom});
    if (scale(tick) - half < free_from || scale(tick) + half > svg.width()) continue;
    svg.text("muted", {scale(tick), bottom + 18.0}, "middle", text);
    free_from = scale(tick) + half + 8.0;
  }
  svg.text("muted", {(scale(scale.low()) + scale(scale.high())) / 2.0, bottom + 38.0}, "middle",
           chart.value_name);
}

void draw_reference(Svg& svg, const DotChart& chart, const Scale& scale, double top, double bottom) {
  if (!chart.reference) return;
  svg.line("mark", {scale(*chart.reference), top}, {scale(*chart.reference), bottom});
  const bool at_the_left = scale(*chart.reference) < svg.width() / 2.0;
  svg.text("muted", {scale(*chart.reference) + (at_the_left ? 6.0 : -6.0), top - 4.0},
           at_the_left ? "start" : "end", chart.reference_name);
}

}  // namespace

std::string draw(const DotChart& chart, double width) {
  Svg svg(width);
  LegendEntries entries;
  for (const DotSeries& series : chart.series) entries.emplace_back(series.name, series.style);
  double y = draw_legend(svg, entries, 0.0, false);
  if (!chart.mark_name.empty()) svg.text("muted", {2.0, y += 16.0}, "start", chart.mark_name);
  const double top = y + (chart.reference ? 30.0 : 14.0);
  double names = 0.0;
  for (const std::string& row : chart.rows) names = std::max(names, text_width(row) + 14.0);
  const bool above = names > width * most_for_names;
  const double height = row_height + (above ? height_of_names - 4.0 : 0.0);
  if (above) names = 10.0;
  const double bottom = top + height * static_cast<double>(chart.rows.size());
  const Scale scale = scale_of(chart, names, width - 14.0);
  draw_axis(svg, chart, scale, top, bottom);
  draw_reference(svg, chart, scale, top, bottom);
  for (std::size_t i = 0; i < chart.rows.size(); ++i) {
    const double middle = top + height * (static_cast<double>(i) + (above ? 0.68 : 0.5));
    const double name_y = above ? middle - 13.0 : middle + 4.5;
    svg.text("", {0.0, name_y}, "start", shortened(chart.rows[i], above ? width : names - 12.0));
    svg.line("grid", {names, middle}, {width - 14.0, middle});
    if (i < chart.marks.size() && chart.marks[i]) {
      svg.line("mark", {scale(*chart.marks[i]), middle - 8.0}, {scale(*chart.marks[i]), middle + 8.0});
    }
    for (std::size_t at = chart.series.size(); at-- > 0;) {
      const DotSeries& series = chart.series[at];
      const std::optional<double>& value = series.values[i];
      if (!value || *value <= 0.0) continue;
      svg.begin_series(at);
      svg.marker(series.style, {scale(*value), middle},
                 fmt::format("{}, {}: {:.3g}{}", chart.rows[i], series.name, *value, chart.unit));
      svg.end_series();
    }
  }
  return svg.finish(bottom + 46.0, chart.title);
}

}  // namespace clgemm::bench
