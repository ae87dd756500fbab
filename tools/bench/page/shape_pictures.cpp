// Pictures of what stands against the peers at each shape: speed-ups and error ratios.
#include <fmt/format.h>

#include <algorithm>

#include "page/device_pictures.hpp"

namespace clgemm::bench {
namespace {

std::vector<const ShapeRows*> shapes_with_own(const DeviceRows& device) {
  std::vector<const ShapeRows*> shapes;
  for (const ShapeRows& shape : device.shapes) {
    if (shape.own() != nullptr) shapes.push_back(&shape);
  }
  return shapes;
}

}  // namespace

Picture speed_up_over_peers(const DeviceRows& device) {
  Picture picture{
      "speed-up",
      "Speed-up over each peer",
      "How many times as fast as the peer on the same data in the same run, by medians: clgemm's choice "
      "where it was measured, else its fastest kernel. Right of 1, clgemm is faster.",
      "",
      {}};
  DotChart chart{"Speed-up over each peer by shape",
                 "times as fast as the peer",
                 " x",
                 {},
                 {},
                 1.0,
                 "as fast as the peer",
                 {},
                 ""};
  const std::vector<const ShapeRows*> shapes = shapes_with_own(device);
  for (const ShapeRows* shape : shapes) chart.rows.push_back(name_of(*shape));
  for (const std::string& peer : device.peers) {
    DotSeries series{"over " + peer_title(peer), device.styles().peer(peer), {}};
    for (const ShapeRows* shape : shapes) {
      const PeerRow* row = shape->peer(peer);
      const bool both = row != nullptr && row->figures.measured();
      series.values.push_back(both ? std::optional(speed_up(row->figures, shape->own()->figures))
                                   : std::nullopt);
    }
    const auto has_value = [](const std::optional<double>& value) { return value.has_value(); };
    if (std::any_of(series.values.begin(), series.values.end(), has_value))
      chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) {
    picture.instead = "No peer was measured.";
  } else {
    picture.draw = drawer(std::move(chart));
  }
  return picture;
}

Picture error_ratios(const DeviceRows& device) {
  Picture picture{"error-ratio",
                  "Error ratios",
                  "The largest error of an element against float64, in units of 2^-24 (|alpha| |A||B| + "
                  "|beta| |C|). Lower "
                  "is better; the mark at the right of each line is the bound, 8 + 2 sqrt(k).",
                  "",
                  {}};
  DotChart chart{"Error ratios by shape",   "error ratio (logarithmic)", "", {}, {}, std::nullopt, "", {},
                 "| the bound of the shape"};
  const std::vector<const ShapeRows*> shapes = shapes_with_own(device);
  DotSeries own{"clgemm", device.styles().kernel("clgemm"), {}};
  bool any = false;
  for (const ShapeRows* shape : shapes) {
    chart.rows.push_back(name_of(*shape));
    chart.marks.push_back(shape->any->error_bound);
    own.values.push_back(shape->own()->figures.error_ratio);
    any = any || own.values.back().has_value();
  }
  chart.series.push_back(std::move(own));
  for (const std::string& peer : device.peers) {
    DotSeries series{peer_title(peer), device.styles().peer(peer), {}};
    for (const ShapeRows* shape : shapes) {
      const PeerRow* row = shape->peer(peer);
      series.values.push_back(row == nullptr ? std::nullopt : row->figures.error_ratio);
    }
    chart.series.push_back(std::move(series));
  }
  if (any) {
    picture.draw = drawer(std::move(chart));
  } else {
    picture.instead = "The results were not checked (--no-check).";
  }
  return picture;
}

}  // namespace clgemm::bench
