// The measurements for the speed model: a config, a shape, its seconds. They are stored as lines of CSV, so
// that a fit can be repeated without the device.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "call/problem.hpp"
#include "choose/tuning.hpp"
#include "kernel/config.hpp"

namespace clgemm::tune {

// A GEMM, or a batch of them. The matrices have no gaps.
struct SampleShape : GemmSize {
  std::size_t batch = 1;
  bool transpose_a = false;
  bool transpose_b = false;

  auto operator<=>(const SampleShape&) const = default;
};

struct Sample {
  SampleShape shape;
  Config config;  // with SPLIT_K, if the kernel splits k
  double seconds = 0.0;
};

// Reads the format of common/sample_lines.hpp. Lines of configs without a time, and of kernels that are not
// in `known`, are ignored. Throws std::runtime_error for anything else.
std::vector<Sample> read_samples(const std::filesystem::path& path, const std::vector<std::string>& known);

// `predicted` has one value for each sample, 0 if there is no prediction.
void write_samples(const std::filesystem::path& path, const std::vector<Sample>& samples,
                   const std::vector<double>& predicted);

// "nn", "nt", "tn" or "tt".
std::string transposes_of(const SampleShape& shape);
SampleShape sample_shape(const GemmSize& size, std::size_t batch, const std::string& transposes);

// Returns the problem with the memory layout of the bench's matrices.
Problem problem_of(const SampleShape& shape, const Device& device);

// Returns the config without its number of slices along k.
Config without_slices(const Config& config);

}  // namespace clgemm::tune
