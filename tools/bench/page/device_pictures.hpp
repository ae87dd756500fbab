// Each picture of a device's results by itself.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "page/charts.hpp"
#include "page/page_data.hpp"
#include "page/pictures.hpp"

namespace clgemm::bench {

Picture over_size(const DeviceRows& device);
Picture ladder(const DeviceRows& device);
Picture roofline(const DeviceRows& device);
Picture speed_up_over_peers(const DeviceRows& device);
Picture error_ratios(const DeviceRows& device);

template <class Chart>
std::function<std::string(double)> drawer(Chart chart) {
  return [chart = std::move(chart)](double width) { return draw(chart, width); };
}

}  // namespace clgemm::bench
