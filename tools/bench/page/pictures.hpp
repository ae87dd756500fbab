// The pictures of one run's results.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "figures/results.hpp"
#include "figures/tuning_samples.hpp"
#include "page/chart_style.hpp"
#include "page/charts.hpp"

namespace clgemm::bench {

struct Picture {
  std::string name;  // of its file, without .svg
  std::string heading;
  std::string caption;  // what it shows and how to read it
  std::string instead;  // why there is no picture; then nothing below
  std::function<std::string(double width)> draw;
};

// What cannot be drawn from these results has its reason in place of the picture.
Picture over_size(const Results& results);
Picture ladder(const Results& results);
Picture roofline(const Results& results);
Picture speed_up_over_peers(const Results& results);
Picture error_ratios(const Results& results);
Picture speed_up_over_work(const Results& results);  // of many shapes

// clgemm's rate at square sizes in several runs, on whatever device each was.
Picture runs_over_size(const std::vector<std::pair<std::string, const Results*>>& named_runs);

// The rates of multiplies from host to host over the number of devices that shared them.
Picture rates_over_devices(const std::vector<std::pair<std::string, const Results*>>& named_runs);

// One multiply of square matrices as they come, without gaps.
bool is_square(const Case& one);

// What clgemm-tune measured, and the regret of choosing by the speed model.
Picture tuning_space(const TuningSamples& samples);
Picture regret_over_work(const TuningSamples& samples);

// The looks of its kernels and peers, the same in every picture.
SeriesStyles styles_of(const Results& results);

template <class Chart>
std::function<std::string(double)> drawer(Chart chart) {
  return [chart = std::move(chart)](double width) { return draw(chart, width); };
}

}  // namespace clgemm::bench
