// Pictures of what clgemm-tune measured: every config at every shape, and what choosing by the speed model
// costs.
#include <fmt/format.h>

#include <algorithm>

#include "page/pictures.hpp"

namespace clgemm::bench {
namespace {

std::string microseconds(double seconds) {
  return fmt::format("{:.4g} us", seconds * 1e6);
}

HeatField field_of(const TuningSamples& samples, std::size_t row, std::size_t column) {
  const auto& time = samples.times[row][column];
  const TuningSamples::Shape& shape = samples.shapes[column];
  HeatField field;
  field.marked = shape.chosen_seconds > 0.0 && shape.chosen_row == row;
  if (!time) return field;
  field.value = shape.best_seconds / time->seconds;
  field.tip = fmt::format("{}: {}: {}, {:.0f} % of the best{}", shape.name(), time->config,
                          microseconds(time->seconds), field.value * 100.0,
                          field.marked ? ", chosen by the speed model" : "");
  return field;
}

}  // namespace

Picture tuning_space(const TuningSamples& samples) {
  Picture picture{
      "tuning-space",
      "Which config is fast where",
      fmt::format("What clgemm-tune measured: {} configs in rows, {} shapes in columns, small work "
                  "at the left. The stronger the colour, the nearer to the fastest config of that "
                  "shape; nothing where it was not measured.",
                  samples.configs.size(), samples.shapes.size()),
      "",
      {}};
  if (samples.shapes.empty()) {
    picture.instead = "The samples are empty.";
    return picture;
  }
  if (samples.has_choices()) picture.caption += " A line is in what the speed model chooses.";
  HeatMap map{"The share of the best rate that each config reaches at each shape",
              "of the fastest config's rate",
              "GFLOP of the shape",
              {},
              {},
              {}};
  for (const TuningSamples::Shape& shape : samples.shapes) map.columns.push_back(shape.gflop());
  for (std::size_t row = 0; row < samples.configs.size(); ++row) {
    const std::string& config = samples.configs[row];
    map.groups.push_back(config.substr(0, config.find(' ')));
    auto& fields = map.fields.emplace_back();
    for (std::size_t column = 0; column < samples.shapes.size(); ++column)
      fields.push_back(field_of(samples, row, column));
  }
  picture.draw = drawer(std::move(map));
  return picture;
}

Picture regret_over_work(const TuningSamples& samples) {
  Picture picture{
      "regret",
      "Regret of the choice",
      "How many times as long as the fastest config's time what the speed model chooses takes, at "
      "shapes that it was not fitted to. At 1 it chose the fastest.",
      "",
      {}};
  XyChart chart{"Regret over the size of the work",
                "GFLOP of one call (logarithmic)",
                "times as long as the fastest config (logarithmic)",
                ScaleKind::logarithmic,
                ScaleKind::logarithmic,
                {},
                {},
                {}};
  XySeries series{"a shape", {0, 0, "", false, true}, {}, false};
  for (const TuningSamples::Shape& shape : samples.shapes) {
    if (shape.chosen_seconds == 0.0) continue;
    series.points.push_back(
        {shape.gflop(),
         shape.regret(),
         fmt::format("{}: {:.2f}; chosen: {}", shape.name(), shape.regret(), shape.chosen),
         {},
         {}});
  }
  if (series.points.empty()) {
    picture.instead =
        "The samples have no predictions: clgemm-tune --fit FILE --keep-samples FILE adds them.";
    return picture;
  }
  picture.caption += fmt::format(" The line is their geometric mean, {:.3f}.", samples.mean_regret());
  chart.limits.push_back(
      {"",
       {{series.points.front().x, samples.mean_regret()}, {series.points.back().x, samples.mean_regret()}}});
  chart.series.push_back(std::move(series));
  picture.draw = drawer(std::move(chart));
  return picture;
}

}  // namespace clgemm::bench
