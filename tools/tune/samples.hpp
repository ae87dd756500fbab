// What was measured for the speed model: a config, a shape, its seconds. As lines of CSV, so that a fit can
// be made again without the device.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "call/problem.hpp"
#include "choose/tuning.hpp"
#include "kernel/config.hpp"

namespace clgemm::tune {

// What is measured: a multiply, or a batch of them; matrices without gaps, not transposed.
struct SampleShape : GemmSize {
  std::size_t batch = 1;

  auto operator<=>(const SampleShape&) const = default;
};

struct Sample {
  SampleShape shape;
  Config config;  // with SPLIT_K, where the kernel splits k
  double seconds = 0.0;
};

// As common/sample_lines.hpp has them. Lines of configs without a time, and of kernels that `known` does not
// have, are passed over. Throws std::runtime_error for anything else.
std::vector<Sample> read_samples(const std::filesystem::path& path, const std::vector<std::string>& known);

// `predicted`: one for each, 0 where there is none.
void write_samples(const std::filesystem::path& path, const std::vector<Sample>& samples,
                   const std::vector<double>& predicted);

// As the bench's matrices lie.
Problem problem_of(const SampleShape& shape, const Device& device);

// The config without its parts of k.
Config without_parts(const Config& config);

}  // namespace clgemm::tune
