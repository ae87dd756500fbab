// A field for each row and column, the stronger its colour, the nearer to the best of its column.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "page/charts.hpp"
#include "page/legend.hpp"

namespace clgemm::bench {
namespace {

constexpr double field_height = 9.0;
constexpr double name_height = 24.0;  // of a group, above its first row

// Squared, so that the eye tells what is near the best from what is half as good.
double strength(double value) {
  return 0.06 + 0.94 * value * value;
}

double draw_key(Svg& svg, const HeatMap& map) {
  double x = 0.0;
  for (const double value : {0.25, 0.5, 0.75, 0.9, 1.0}) {
    svg.field("s0", {x, 4.0}, 18.0, 12.0, strength(value), "");
    const std::string text = fmt::format("{:.0f} %", value * 100.0);
    svg.text("muted", {x + 23.0, 14.5}, "start", text);
    x += 23.0 + text_width(text) + 12.0;
  }
  svg.text("muted", {0.0, 36.0}, "start", shortened(map.key, svg.width()));
  return 44.0;
}

// The first column that has come to each power of ten.
void draw_axis(Svg& svg, const HeatMap& map, double column_width, double bottom) {
  double free_from = 0.0;
  double next = std::pow(10.0, std::ceil(std::log10(map.columns.front())));
  for (std::size_t i = 0; i < map.columns.size(); ++i) {
    if (map.columns[i] < next) continue;
    while (next * 10.0 <= map.columns[i]) next *= 10.0;
    const std::string text = tick_text(next);
    const double x = column_width * static_cast<double>(i);
    next *= 10.0;
    svg.line("axis", {x, bottom}, {x, bottom + 5.0});
    const double from = std::min(x, svg.width() - text_width(text));
    if (from < free_from) continue;
    svg.text("muted", {from, bottom + 20.0}, "start", text);
    free_from = from + text_width(text) + 8.0;
  }
  svg.text("muted", {svg.width() / 2.0, bottom + 40.0}, "middle", map.column_name);
}

}  // namespace

std::string draw(const HeatMap& map, double width) {
  Svg svg(width);
  double y = draw_key(svg, map);
  const double column_width = width / static_cast<double>(map.columns.size());
  for (std::size_t row = 0; row < map.fields.size(); ++row) {
    if (row == 0 || map.groups[row] != map.groups[row - 1]) {
      svg.text("", {0.0, y + name_height - 6.0}, "start", shortened(map.groups[row], width));
      y += name_height;
    }
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      const HeatField& field = map.fields[row][column];
      const double x = column_width * static_cast<double>(column);
      if (field.value > 0.0)
        svg.field("s0", {x, y}, column_width, field_height, strength(field.value), field.tip);
      if (field.marked) {
        const double middle = y + field_height / 2.0;
        svg.line("chosen", {x + 0.1 * column_width, middle}, {x + 0.9 * column_width, middle});
      }
    }
    y += field_height;
  }
  draw_axis(svg, map, column_width, y + 3.0);
  return svg.finish(y + 49.0, map.title);
}

}  // namespace clgemm::bench
