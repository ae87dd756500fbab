#include "figures/tuning_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace clgemm::bench {
namespace {

std::string without_parts(const std::string& config) {
  const std::size_t begin = config.find(" SPLIT_K=");
  if (begin == std::string::npos) return config;
  const std::size_t end = std::min(config.find(' ', begin + 1), config.size());
  return config.substr(0, begin) + config.substr(end);
}

// Numbers the keys of a map in their order.
template <class Key>
std::map<Key, std::size_t> numbered(std::map<Key, std::size_t> keys) {
  std::size_t number = 0;
  for (auto& key : keys) key.second = number++;
  return keys;
}

// Orders lines by the work, then by the sides.
auto order_of(const SampleLine& line) {
  const Size size{line.m, line.n, line.k};
  return std::tuple(static_cast<double>(line.batch) * operations(size), size.m, size.n, size.k);
}

}  // namespace

std::string TuningSamples::Shape::name() const {
  return batch == 1 ? to_string(size) : fmt::format("{} of {}", batch, to_string(size));
}

bool TuningSamples::has_choices() const {
  return std::any_of(shapes.begin(), shapes.end(), [](const Shape& one) { return one.chosen_seconds > 0.0; });
}

double TuningSamples::mean_regret() const {
  double sum = 0.0;
  std::size_t count = 0;
  for (const Shape& shape : shapes) {
    if (shape.chosen_seconds == 0.0) continue;
    sum += std::log(shape.regret());
    ++count;
  }
  return count == 0 ? 1.0 : std::exp(sum / static_cast<double>(count));
}

TuningSamples tuning_samples(const std::vector<SampleLine>& lines) {
  using Order = decltype(order_of(SampleLine{}));
  std::map<Order, std::size_t> shapes;
  std::map<std::string, std::size_t> configs;
  for (const SampleLine& line : lines) {
    shapes.emplace(order_of(line), 0);
    configs.emplace(without_parts(line.config), 0);
  }
  shapes = numbered(std::move(shapes));
  configs = numbered(std::move(configs));

  TuningSamples result;
  result.shapes.resize(shapes.size());
  for (const auto& config : configs) result.configs.push_back(config.first);
  result.times.assign(configs.size(), std::vector<std::optional<TunedTime>>(shapes.size()));
  std::vector<double> least_predicted(shapes.size(), 0.0);
  for (const SampleLine& line : lines) {
    const std::size_t column = shapes.at(order_of(line));
    const std::size_t row = configs.at(without_parts(line.config));
    TuningSamples::Shape& shape = result.shapes[column];
    shape.size = {line.m, line.n, line.k};
    shape.batch = line.batch;
    if (shape.best_seconds == 0.0 || line.seconds < shape.best_seconds) shape.best_seconds = line.seconds;
    auto& time = result.times[row][column];
    if (!time || line.seconds < time->seconds) time = TunedTime{line.seconds, line.config};
    double& least = least_predicted[column];
    if (line.predicted == 0.0 || (least != 0.0 && line.predicted >= least)) continue;
    least = line.predicted;
    shape.chosen_seconds = line.seconds;
    shape.chosen = line.config;
    shape.chosen_row = row;
  }
  return result;
}

}  // namespace clgemm::bench
