#include "page/svg.hpp"

#include <fmt/format.h>

namespace clgemm::bench {
namespace {

constexpr double marker_radius = 4.0;
constexpr double heavy_marker_radius = 4.8;
constexpr double key_line = 26.0;

double radius_of(const SeriesStyle& style) {
  return style.heavy ? heavy_marker_radius : marker_radius;
}

std::string tip_element(const std::string& tip) {
  return tip.empty() ? "" : fmt::format("<title>{}</title>", escaped(tip));
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    switch (character) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(character) < 0x20 ? ' ' : character;
    }
  }
  return result;
}

double text_width(std::string_view text, double font_size) {
  double width = 0.0;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if ((byte & 0xC0U) == 0x80U) continue;  // within a UTF-8 character
    double part = byte >= 'A' && byte <= 'Z' ? 0.68 : 0.61;
    if (std::string_view(" ijl.,|'").find(character) != std::string_view::npos) part = 0.32;
    if (std::string_view("mwMW").find(character) != std::string_view::npos) part = 0.92;
    width += part;
  }
  return width * font_size;
}

void Svg::line(const char* css_class, Point from, Point to) {
  body_ += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                       css_class, from.x, from.y, to.x, to.y);
}

void Svg::rectangle(const std::string& css_class, Point corner, double width, double height,
                    const std::string& tip) {
  body_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" "
      "fill=\"currentColor\">{}</rect>\n",
      css_class, corner.x, corner.y, width, height, tip_element(tip));
}

void Svg::field(const char* css_class, Point corner, double width, double height, double strength,
                const std::string& tip) {
  body_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"currentColor\" "
      "fill-opacity=\"{:.2f}\">{}</rect>\n",
      css_class, corner.x, corner.y, width, height, strength, tip_element(tip));
}

void Svg::text(const char* css_class, Point at, const char* anchor, std::string_view text) {
  body_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                       css_class, at.x, at.y, anchor, escaped(text));
}

void Svg::path(const SeriesStyle& style, const std::string& points) {
  const std::string dash = *style.dash == '\0' ? "" : fmt::format(" stroke-dasharray=\"{}\"", style.dash);
  body_ += fmt::format(
      "<path class=\"s{}\" d=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"{}\" "
      "stroke-linejoin=\"round\"{}/>\n",
      style.colour, points, style.heavy ? 2.8 : (style.hollow ? 1.8 : 1.2), dash);
}

void Svg::begin_series(std::size_t series, const char* css_class) {
  body_ += fmt::format("<g class=\"{}\" data-series=\"{}\">\n", css_class, series);
}

void Svg::end_series() {
  body_ += "</g>\n";
}

void Svg::error_bar(const SeriesStyle& style, Point low, Point high) {
  const bool upright = low.x == high.x;
  const double across = upright ? 0.0 : 3.0;
  const double along = upright ? 3.0 : 0.0;
  body_ += fmt::format(
      "<path class=\"s{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.2\" "
      "d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}M{:.1f} {:.1f}L{:.1f} {:.1f}M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n",
      style.colour, low.x, low.y, high.x, high.y, low.x - along, low.y - across, low.x + along,
      low.y + across, high.x - along, high.y - across, high.x + along, high.y + across);
}

void Svg::marker(const SeriesStyle& style, Point at, const std::string& tip) {
  const char* fill = style.hollow ? "class=\"hollow\"" : "fill=\"currentColor\"";
  body_ += fmt::format(
      "<g class=\"s{}\" transform=\"translate({:.1f} {:.1f})\"><path {} stroke=\"currentColor\" "
      "stroke-width=\"1.6\" d=\"{}\"/>{}</g>\n",
      style.colour, at.x, at.y, fill, marker_path(style.marker, radius_of(style)), tip_element(tip));
}

double Svg::key(const SeriesStyle& style, Point at, std::string_view name, bool with_line) {
  const double sample = with_line ? key_line : 12.0;
  if (with_line) path(style, fmt::format("M{:.1f} {:.1f}H{:.1f}", at.x, at.y, at.x + sample));
  marker(style, {at.x + sample / 2.0, at.y});
  text(style.heavy ? "strong" : "", {at.x + sample + 6.0, at.y + 4.5}, "start", name);
  return sample + 6.0 + text_width(name, style.heavy ? 14.5 : 13.0) + 18.0;
}

std::string Svg::finish(double height, std::string_view title) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\">\n{3}</svg>\n",
      width_, height, escaped(title), body_);
}

std::string standalone(const std::string& svg) {
  std::string file = svg;
  file.insert(file.find(">\n") + 2,
              fmt::format("<style>\n{}@media(prefers-color-scheme:dark){{\n{}}}\n</style>\n"
                          "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n",
                          chart_css_light(), chart_css_dark()));
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + file;
}

}  // namespace clgemm::bench
