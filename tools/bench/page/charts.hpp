// The kinds of pictures, as data; what draws them is in the files of their names. Each is drawn for a
// given width, so that a narrow screen gets one of its own with type of the same size.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "page/scale.hpp"
#include "page/svg.hpp"

namespace clgemm::bench {

// Points over two axes.
struct XyPoint {
  double x = 0.0;
  double y = 0.0;
  std::string tip;
  std::optional<double> low;  // the bounds of y, where the runs tell
  std::optional<double> high;
};

struct XySeries {
  std::string name;
  SeriesStyle style;
  std::vector<XyPoint> points;
  bool joined = true;  // by a line
};

// A line that bounds the points, such as a roof.
struct XyLimit {
  std::string name;
  std::vector<Point> points;
  bool rising = false;  // its name then stands in its middle
};

struct XyChart {
  std::string title;
  std::string x_name;
  std::string y_name;
  ScaleKind x_kind = ScaleKind::logarithmic;
  ScaleKind y_kind = ScaleKind::linear;
  std::vector<double> x_ticks;  // empty: round values
  std::vector<XySeries> series;
  std::vector<XyLimit> limits;
};

std::string draw(const XyChart& chart, double width);

// A bar a name.
struct Bar {
  std::string name;
  SeriesStyle style;
  double value = 0.0;
  std::string text;  // beside the bar
  std::optional<double> low;
  std::optional<double> high;
};

struct BarChart {
  std::string title;
  std::string value_name;
  std::vector<Bar> bars;
  ScaleKind kind = ScaleKind::linear;
};

std::string draw(const BarChart& chart, double width);

// A line a name, with a point on it for each series: for values that are compared with a fixed one.
struct DotSeries {
  std::string name;
  SeriesStyle style;
  std::vector<std::optional<double>> values;  // one a row
};

struct DotChart {
  std::string title;
  std::string value_name;
  std::string unit;  // after a value: " x"
  std::vector<std::string> rows;
  std::vector<DotSeries> series;
  std::optional<double> reference;  // a line through all rows
  std::string reference_name;
  std::vector<std::optional<double>> marks;  // a bar across each row: its own bound
  std::string mark_name;
};

std::string draw(const DotChart& chart, double width);

// A field for each row and column, of which the best of its column has 1.
struct HeatField {
  double value = 0.0;  // 0: nothing is known
  bool marked = false;
  std::string tip;
};

struct HeatMap {
  std::string title;
  std::string key;  // what the colours tell
  std::string column_name;
  std::vector<double> columns;      // what stands below them, rising
  std::vector<std::string> groups;  // of each row; those of one group together
  std::vector<std::vector<HeatField>> fields;
};

std::string draw(const HeatMap& map, double width);

}  // namespace clgemm::bench
