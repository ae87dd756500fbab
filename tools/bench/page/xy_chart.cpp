// Points over two axes, with lines where they belong together: rates over sizes, and the roofline.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "page/charts.hpp"
#include "page/legend.hpp"

namespace clgemm::bench {
namespace {

constexpr double right_margin = 18.0;
constexpr double below_plot = 46.0;

// Of a level line's name: how far from the line its foot is.
constexpr double above_line = 7.0;
constexpr double below_line = 17.0;

// How far the middle of a mark is from a name: to its sides, above its foot and below.
struct Room {
  double across;
  double up;
  double down;
};
constexpr Room wide_room = {6.0, 17.0, 6.0};
constexpr Room least_room = {1.0, 13.0, 4.0};  // the mark's rim lies on the name

// Places for a name are tried so far from each other.
constexpr double name_step = 10.0;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

Range range_of(const XyChart& chart, double Point::*axis) {
  Range range;
  for (const XySeries& series : chart.series) {
    for (const XyPoint& point : series.points) range.add(Point{point.x, point.y}.*axis);
  }
  for (const XyLimit& limit : chart.limits) {
    for (const Point& point : limit.points) range.add(point.*axis);
  }
  return range;
}

// Room around the values; a linear axis begins at 0, for bars of rates tell by their length.
Range with_room(Range range, ScaleKind kind, double factor) {
  if (kind == ScaleKind::linear) return {0.0, range.high * 1.06};
  return {range.low / factor, range.high * factor};
}

class Plot {
 public:
  Plot(const XyChart& chart, double width) : chart_(chart), svg_(width) {}

  std::string draw() {
    LegendEntries entries;
    for (const XySeries& series : chart_.series) entries.emplace_back(series.name, series.style);
    top_ = draw_legend(svg_, entries, 0.0, with_lines()) + 40.0;
    bottom_ = top_ + std::clamp(svg_.width() * 0.5, 230.0, 340.0);
    const Range x = with_room(range_of(chart_, &Point::x), chart_.x_kind, 1.1);
    const Range y = with_room(range_of(chart_, &Point::y), chart_.y_kind, 1.35);
    y_ticks_ = chart_.y_kind == ScaleKind::linear ? linear_ticks(y.low, y.high, 5) : log_ticks(y.low, y.high);
    left_ = 14.0;
    for (const double tick : y_ticks_) left_ = std::max(left_, text_width(tick_text(tick)) + 12.0);
    const Scale x_scale(chart_.x_kind, x.low, x.high, left_ + 8.0, svg_.width() - right_margin);
    const Scale y_scale(chart_.y_kind, y.low, y.high, bottom_, top_);
    draw_axes(x_scale, y_scale);
    for (const XyLimit& limit : chart_.limits) draw_limit(limit, x_scale, y_scale);
    for (const bool heavy : {false, true}) {  // what the page is about lies on top
      for (std::size_t i = 0; i < chart_.series.size(); ++i) {
        if (chart_.series[i].style.heavy != heavy) continue;
        svg_.begin_series(i);
        draw_series(chart_.series[i], x_scale, y_scale);
        svg_.end_series();
      }
    }
    return svg_.finish(bottom_ + below_plot, chart_.title);
  }

 private:
  bool with_lines() const {
    return std::any_of(chart_.series.begin(), chart_.series.end(),
                       [](const XySeries& series) { return series.joined; });
  }

  void draw_axes(const Scale& x, const Scale& y) {
    svg_.text("muted", {0.0, top_ - 16.0}, "start", chart_.y_name);
    for (const double tick : y_ticks_) {
      svg_.line("grid", {left_, y(tick)}, {svg_.width() - right_margin + 8.0, y(tick)});
      svg_.text("muted", {left_ - 7.0, y(tick) + 4.5}, "end", tick_text(tick));
    }
    svg_.line("axis", {left_, bottom_}, {svg_.width() - right_margin + 8.0, bottom_});
    const std::vector<double> ticks = chart_.x_ticks.empty() ? log_ticks(x.low(), x.high()) : chart_.x_ticks;
    double free_from = 0.0;
    for (const double tick : ticks) {
      const std::string text = tick_text(tick);
      const double half = text_width(text) / 2.0;
      svg_.line("axis", {x(tick), bottom_}, {x(tick), bottom_ + 5.0});
      if (x(tick) - half < free_from) continue;
      svg_.text("muted", {x(tick), bottom_ + 20.0}, "middle", text);
      free_from = x(tick) + half + 8.0;
    }
    svg_.text("muted", {(left_ + svg_.width() - right_margin) / 2.0, bottom_ + 40.0}, "middle",
              chart_.x_name);
  }

  void draw_limit(const XyLimit& limit, const Scale& x, const Scale& y) {
    for (std::size_t i = 1; i < limit.points.size(); ++i) {
      svg_.line("mark", {x(limit.points[i - 1].x), y(limit.points[i - 1].y)},
                {x(limit.points[i].x), y(limit.points[i].y)});
    }
    // A rising one has its name at its foot, below the line that leaves it.
    const std::string brief = limit.name.substr(0, limit.name.find(':'));
    if (limit.rising) {
      const Point foot{x(limit.points[0].x) + 10.0, y(limit.points[0].y) + 6.0};
      const double width = text_width(limit.name);
      const bool has_room = is_free({foot.x + width, foot.y}, width, wide_room, x, y);
      svg_.text("muted halo", foot, "start", has_room ? limit.name : brief);
      return;
    }
    // In a narrow picture a long name goes without its figure, which the text below has, too; among many
    // marks it goes closer to them, or away from its line.
    for (const Room& room : {wide_room, least_room}) {
      for (const std::string& name : {limit.name, brief}) {
        if (draw_name(name, limit, room, 0.0, x, y)) return;
      }
    }
    for (double away = name_step; away < bottom_ - top_; away += name_step) {
      if (draw_name(brief, limit, least_room, away, x, y)) return;
    }
    const Point& end = limit.points.back();
    svg_.text("muted halo", {x(end.x), y(end.y) - above_line}, "end", brief);
  }

  // The name of a level line, as far to the right as no mark lies on it, above or below; `away` from where it
  // is best. False if there is no room.
  bool draw_name(const std::string& name, const XyLimit& limit, const Room& room, double away, const Scale& x,
                 const Scale& y) {
    const double width = text_width(name);
    const Point end{x(limit.points.back().x), y(limit.points.back().y)};
    for (double right = end.x; right - width >= left_; right -= name_step) {
      for (const double down : {-above_line - away, below_line + away}) {
        const Point place{right, end.y + down};
        const bool is_inside = away == 0.0 || (place.y - room.up > top_ && place.y + room.down < bottom_);
        if (!is_inside || !is_free(place, width, room, x, y)) continue;
        svg_.text("muted halo", place, "end", name);
        return true;
      }
    }
    return false;
  }

  bool is_free(const Point& place, double width, const Room& room, const Scale& x, const Scale& y) const {
    const auto lies_on = [&](const XyPoint& point) {
      const double across = x(point.x);
      const double down = y(point.y);
      return across > place.x - width - room.across && across < place.x + room.across &&
             down > place.y - room.up && down < place.y + room.down;
    };
    return std::none_of(chart_.series.begin(), chart_.series.end(), [&](const XySeries& series) {
      return std::any_of(series.points.begin(), series.points.end(), lies_on);
    });
  }

  void draw_series(const XySeries& series, const Scale& x, const Scale& y) {
    std::string line;
    for (const XyPoint& point : series.points) {
      line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x(point.x), y(point.y));
    }
    if (series.joined && series.points.size() > 1) svg_.path(series.style, line);
    for (const XyPoint& point : series.points) {
      const bool visible = point.low && point.high && y(*point.low) - y(*point.high) > 2.0;
      if (visible) {
        const auto inside = [&](double value) { return std::clamp(y(value), top_, bottom_); };
        svg_.error_bar(series.style, {x(point.x), inside(*point.low)}, {x(point.x), inside(*point.high)});
      }
      svg_.marker(series.style, {x(point.x), y(point.y)}, point.tip);
    }
  }

  const XyChart& chart_;
  Svg svg_;
  double left_ = 0.0;
  double top_ = 0.0;
  double bottom_ = 0.0;
  std::vector<double> y_ticks_;
};

}  // namespace

std::string draw(const XyChart& chart, double width) {
  return Plot(chart, width).draw();
}

}  // namespace clgemm::bench
