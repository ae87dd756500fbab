// A bar a name, one below the other, with the value beside it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "page/charts.hpp"
#include "page/legend.hpp"

namespace clgemm::bench {
namespace {

constexpr double row_height = 30.0;
constexpr double bar_height = 18.0;

// Of the bounds, which lie upon the bars.
constexpr SeriesStyle ink = {7, 0, "", false, false};

}  // namespace

std::string draw(const BarChart& chart, double width) {
  Svg svg(width);
  double names = 0.0;
  double texts = 0.0;
  double most = 0.0;
  double least = std::numeric_limits<double>::infinity();
  for (const Bar& bar : chart.bars) {
    names = std::max(names, text_width(bar.name, bar.style.heavy ? 14.5 : 13.0) + 32.0);
    texts = std::max(texts, text_width(bar.text, bar.style.heavy ? 14.5 : 13.0) + 10.0);
    most = std::max({most, bar.value, bar.high.value_or(0.0)});
    least = std::min(least, bar.value);
  }
  names = std::min(names, width * 0.4);
  // On a logarithmic scale a bar has no natural beginning: a third of the least leaves each of them some
  // length.
  const double begin = chart.kind == ScaleKind::linear ? 0.0 : least / 3.0;
  const Scale scale(chart.kind, begin, most, names, std::max(width - texts, names + 40.0));
  const double top = 26.0;
  svg.text("muted", {0.0, 14.0}, "start", chart.value_name);
  double y = top + row_height / 2.0;
  for (const Bar& bar : chart.bars) {
    const std::string tip = fmt::format("{}: {}", bar.name, bar.text);
    svg.marker(bar.style, {8.0, y});
    svg.text(bar.style.heavy ? "strong" : "", {22.0, y + 4.5}, "start", shortened(bar.name, names - 26.0));
    svg.rectangle(fmt::format("s{}", bar.style.colour), {names, y - bar_height / 2.0},
                  std::max(scale(bar.value) - names, 1.5), bar_height, tip);
    const bool bounded = bar.low && bar.high && scale(*bar.high) - scale(*bar.low) > 2.0;
    if (bounded) svg.error_bar(ink, {scale(*bar.low), y}, {scale(*bar.high), y});
    svg.text(bar.style.heavy ? "strong" : "", {scale(bounded ? *bar.high : bar.value) + 8.0, y + 4.5},
             "start", bar.text);
    y += row_height;
  }
  svg.line("axis", {names, top}, {names, y - row_height / 2.0});
  return svg.finish(y - row_height / 2.0 + 6.0, chart.title);
}

}  // namespace clgemm::bench
