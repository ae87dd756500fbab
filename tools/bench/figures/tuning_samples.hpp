// What clgemm-tune measured of many configs at many shapes, and what the speed model would have chosen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/sample_lines.hpp"
#include "common/size.hpp"

namespace clgemm::bench {

// A config at a shape: in as many parts of k as were the fastest.
struct TunedTime {
  double seconds = 0.0;
  std::string config;  // with its parts of k
};

struct TuningSamples {
  struct Shape {
    Size size;
    std::size_t batch = 1;  // so many of that size
    double best_seconds = 0.0;
    double chosen_seconds = 0.0;  // 0: nothing was predicted
    std::string chosen;
    std::size_t chosen_row = 0;

    double gflop() const { return static_cast<double>(batch) * operations(size) * 1e-9; }
    std::string name() const;  // "100 of 16 x 16 x 16", or the size alone
    double regret() const { return chosen_seconds / best_seconds; }
  };

  std::vector<Shape> shapes;                                 // by their operations
  std::vector<std::string> configs;                          // without parts of k; of one kernel together
  std::vector<std::vector<std::optional<TunedTime>>> times;  // of each config, at each shape

  bool has_choices() const;
  double mean_regret() const;  // geometric
};

TuningSamples tuning_samples(const std::vector<SampleLine>& lines);

}  // namespace clgemm::bench
