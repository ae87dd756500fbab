// The measurements of clgemm-tune for many configs and shapes, and the choices of the speed model for these
// shapes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/sample_lines.hpp"
#include "common/size.hpp"

namespace clgemm::bench {

// The time of a config at a shape, with its fastest number of slices along k.
struct TunedTime {
  double seconds = 0.0;
  std::string config;  // with its number of slices along k
};

struct TuningSamples {
  struct Shape {
    Size size;
    std::size_t batch = 1;  // the number of GEMMs of that size
    double best_seconds = 0.0;
    double chosen_seconds = 0.0;  // 0 if nothing was predicted
    std::string chosen;
    std::size_t chosen_row = 0;

    double gflop() const { return static_cast<double>(batch) * operations(size) * 1e-9; }
    std::string name() const;  // "100 of 16 x 16 x 16", or the size alone
    double regret() const { return chosen_seconds / best_seconds; }
  };

  std::vector<Shape> shapes;         // ordered by their operations
  std::vector<std::string> configs;  // without the number of slices along k; those of one kernel together
  std::vector<std::vector<std::optional<TunedTime>>> times;  // the time of each config at each shape

  bool has_choices() const;
  double mean_regret() const;  // geometric
};

TuningSamples tuning_samples(const std::vector<SampleLine>& lines);

}  // namespace clgemm::bench
