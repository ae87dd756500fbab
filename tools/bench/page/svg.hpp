// A picture as SVG text: shapes with classes, whose colours come from a style sheet.
#pragma once

#include <string>
#include <string_view>

#include "page/chart_style.hpp"

namespace clgemm::bench {

// For text and attributes of XML and HTML. What XML cannot hold becomes a space.
std::string escaped(std::string_view text);

// About how wide a text of this size of type is.
double text_width(std::string_view text, double font_size = 13.0);

struct Point {
  double x = 0.0;
  double y = 0.0;
};

class Svg {
 public:
  explicit Svg(double width) : width_(width) {}

  void line(const char* css_class, Point from, Point to);
  void rectangle(const std::string& css_class, Point corner, double width, double height,
                 const std::string& tip = {});
  // One of a heat map, so strong: 0 to 1.
  void field(const char* css_class, Point corner, double width, double height, double strength,
             const std::string& tip);
  // `anchor`: start, middle or end.
  void text(const char* css_class, Point at, const char* anchor, std::string_view text);
  void path(const SeriesStyle& style, const std::string& points);
  void marker(const SeriesStyle& style, Point at, const std::string& tip = {});

  // What belongs to a series, so that the page's script can hide it and bring it forward.
  void begin_series(std::size_t series, const char* css_class = "series");
  void end_series();

  // From the lower to the upper bound of a value.
  void error_bar(const SeriesStyle& style, Point low, Point high);

  // A sample of the series and its name. Returns the width that both take.
  double key(const SeriesStyle& style, Point at, std::string_view name, bool with_line);

  // The whole element. `title` is for those who hear the page.
  std::string finish(double height, std::string_view title) const;

  double width() const { return width_; }

 private:
  double width_;
  std::string body_;
};

// The same picture as a file of its own, with the style sheets for light and dark screens in it.
std::string standalone(const std::string& svg);

}  // namespace clgemm::bench
