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
  const auto begins_letter = [&text](std::size_t place) {  // and is not in the middle of one, in UTF-8
    return place >= text.size() || (static_cast<unsigned char>(text[place]) & 0xC0U) != 0x80U;
  };
  for (std::size_t kept = text.size(); kept-- > 0;) {
    std::size_t head = kept / 3;
    std::size_t tail = text.size() - (kept - head);
    while (!begins_letter(head)) --head;
    while (!begins_letter(tail)) ++tail;
    std::string result = text.substr(0, head) + "…" + text.substr(tail);
    if (text_width(result) <= width) return result;
  }
  return "…";
}

}  // namespace clgemm::bench
