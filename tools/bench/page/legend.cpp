#include "page/legend.hpp"

namespace clgemm::bench {
namespace {

constexpr double line_height = 22.0;

}  // namespace

double draw_legend(Svg& svg, const LegendEntries& entries, double top, bool with_lines) {
  double x = 2.0;
  double y = top + line_height / 2.0;
  std::size_t series = 0;
  for (const auto& [long_name, style] : entries) {
    const std::string name = shortened(long_name, svg.width() - 40.0);
    const double needed = (with_lines ? 32.0 : 18.0) + text_width(name);
    if (x > 2.0 && x + needed > svg.width()) {
      x = 2.0;
      y += line_height;
    }
    svg.begin_series(series++, "key");
    x += svg.key(style, {x, y}, name, with_lines);
    svg.end_series();
  }
  return entries.empty() ? top : y + line_height / 2.0;
}

std::string shortened(const std::string& text, double width) {
  if (text_width(text) <= width) return text;
  std::string result = text;
  while (!result.empty() && text_width(result + "…") > width) result.pop_back();
  while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0x80U) != 0U) result.pop_back();
  return result + "…";
}

}  // namespace clgemm::bench
