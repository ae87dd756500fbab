// How a series looks: its colour, and a marker and dashes that tell it from others without the colour.
#pragma once

#include <string>
#include <vector>

namespace clgemm::bench {

struct SeriesStyle {
  std::size_t colour = 0;
  std::size_t marker = 0;
  const char* dash = "";  // of the line; empty: solid
  bool hollow = false;    // the marker
  bool heavy = false;     // the series that the page is about
};

inline constexpr std::size_t marker_count = 8;

// The outline of a marker of about this radius, around the origin, as SVG path data.
std::string marker_path(std::size_t marker, double radius);

// The series of a page in order: "clgemm", kernels, peers by their keys. Each keeps its style in every
// picture.
class SeriesStyles {
 public:
  // `kernels` in their order.
  explicit SeriesStyles(std::vector<std::string> kernels) : kernels_(std::move(kernels)) {}

  SeriesStyle kernel(const std::string& name) const;
  SeriesStyle peer(const std::string& name) const;

 private:
  std::vector<std::string> kernels_;
};

// Of the runs on one page, each beside the others.
SeriesStyle style_of_run(std::size_t place);

// The style sheet of pictures, on light and on dark ground.
std::string chart_css_light();
std::string chart_css_dark();

}  // namespace clgemm::bench
