#include "page/chart_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace clgemm::bench {
namespace {

struct Palette {
  const char* ink;
  const char* muted;
  const char* grid;
  const char* ground;
  std::array<const char*, 8> series;
};

// The colours of Okabe and Ito, which people with any kind of colour vision can tell apart; darkened or
// lightened where the ground asks for it.
constexpr Palette light = {
    "#1c2430",
    "#5a6675",
    "#e1e6ec",
    "#ffffff",
    {"#0064a8", "#c8500a", "#00865f", "#b8548f", "#3a95cf", "#b97c00", "#6b7480", "#7d5a3c"}};
constexpr Palette dark = {
    "#e8edf3",
    "#a3afbd",
    "#2b3440",
    "#151b23",
    {"#5db2f2", "#ff8a4c", "#33c99c", "#eb9dcb", "#9ad4f7", "#f0b93a", "#9aa5b2", "#c79f7c"}};

std::string css_of(const Palette& palette) {
  std::string css = fmt::format(
      ".chart text{{fill:{0};font:13px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation "
      "Sans',Arial,sans-serif}}\n"
      ".chart .muted{{fill:{1}}}\n.chart .strong{{font-weight:600}}\n.chart "
      ".grid{{stroke:{2};stroke-width:1}}\n"
      ".chart .axis{{stroke:{1};stroke-width:1}}\n.chart .mark{{stroke:{0};stroke-width:1.5}}\n"
      ".chart .chosen{{stroke:{4};stroke-width:2.5}}\n.chart .hollow{{fill:{3}}}\n.chart "
      ".ground{{fill:{3}}}\n.chart "
      ".halo{{paint-order:stroke;stroke:{3};stroke-width:4;stroke-linejoin:round}}\n",
      palette.ink, palette.muted, palette.grid, palette.ground, palette.series[1]);
  for (std::size_t i = 0; i < palette.series.size(); ++i) {
    css += fmt::format(".chart .s{}{{color:{}}}\n", i, palette.series[i]);
  }
  return css;
}

struct PeerStyle {
  const char* name;
  std::size_t colour;
  std::size_t marker;
  const char* dash;
};
constexpr PeerStyle peer_styles[] = {{"clblast", 1, 1, "7 4"},          {"clblast-tuned", 5, 2, "7 3 2 3"},
                                     {"openblas", 2, 3, "10 4"},        {"cblas", 7, 4, "2 3"},
                                     {"cublas-fp32", 3, 5, "12 3 3 3"}, {"cublas-tf32", 6, 6, "4 3"}};

// Light blue is clgemm's single kernels, as blue is its choice. Each peer has a colour of its own; grey is
// not fp32.
constexpr std::size_t kernel_colour = 4;
constexpr const char* kernel_dashes[] = {"", "1.5 3", "5 2"};

std::string polygon(const std::vector<double>& angles, const std::vector<double>& radii) {
  std::string path;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const double angle = angles[i] * std::numbers::pi / 180.0;
    const double radius = radii[i % radii.size()];
    path += fmt::format("{}{:.2f} {:.2f}", i == 0 ? "M" : "L", radius * std::sin(angle),
                        -radius * std::cos(angle));
  }
  return path + "Z";
}

std::vector<double> turns(std::size_t corners, double first) {
  std::vector<double> angles;
  for (std::size_t i = 0; i < corners; ++i) {
    angles.push_back(first + 360.0 * static_cast<double>(i) / static_cast<double>(corners));
  }
  return angles;
}

}  // namespace

std::string marker_path(std::size_t marker, double r) {
  switch (marker % marker_count) {
    case 0:  // a disc
      return fmt::format("M{0:.2f} 0A{1:.2f} {1:.2f} 0 1 0 {1:.2f} 0A{1:.2f} {1:.2f} 0 1 0 {0:.2f} 0Z", -r,
                         r);
    case 1:
      return polygon(turns(4, 45.0), {r * 1.25});
    case 2:
      return polygon(turns(4, 0.0), {r * 1.35});
    case 3:
      return polygon(turns(3, 0.0), {r * 1.35});
    case 4:
      return polygon(turns(3, 180.0), {r * 1.35});
    case 5:  // a star of four points
      return polygon(turns(8, 0.0), {r * 1.5, r * 0.6});
    case 6:
      return polygon(turns(6, 0.0), {r * 1.2});
    default:  // a star of five points
      return polygon(turns(10, 0.0), {r * 1.5, r * 0.65});
  }
}

SeriesStyle SeriesStyles::kernel(const std::string& name) const {
  if (name == "clgemm") return {0, 0, "", false, true};
  const auto found = std::find(kernels_.begin(), kernels_.end(), name);
  const auto place = static_cast<std::size_t>(found - kernels_.begin());
  // Markers and dashes in counts without a common factor: 21 kernels look different without their colours.
  // The disc is clgemm's own.
  return {kernel_colour, 1 + place % (marker_count - 1), kernel_dashes[place % 3], false, false};
}

SeriesStyle SeriesStyles::peer(const std::string& name) const {
  for (const PeerStyle& style : peer_styles) {
    if (name == style.name) return {style.colour, style.marker, style.dash, true, false};
  }
  return {7, 7, "3 3", true, false};
}

SeriesStyle style_of_run(std::size_t place) {
  constexpr const char* dashes[] = {"", "7 4", "2 3"};
  return {place % 8, place % marker_count, dashes[place / 8 % 3], false, false};
}

std::string chart_css_light() {
  return css_of(light);
}

std::string chart_css_dark() {
  return css_of(dark);
}

}  // namespace clgemm::bench
