// The format that `clgemm-tune --keep-samples` writes and the bench's page shows: a line of CSV for each
// config that was measured at a shape.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace clgemm::bench {

struct SampleLine {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  std::string config;  // "direct BM=64 SPLIT_K=3"
  double seconds = 0.0;
  double predicted = 0.0;  // seconds, by a speed model that has not seen the shape; 0 without a prediction
  std::size_t batch = 1;   // matrices of this size
  std::string transposes = "nn";  // of A and of B: "t" for each that is transposed
};

// Also accepts files without the last columns, and several files put together. Throws std::runtime_error for
// anything else.
std::vector<SampleLine> read_sample_lines(const std::filesystem::path& path);
void write_sample_lines(const std::filesystem::path& path, const std::vector<SampleLine>& lines);

}  // namespace clgemm::bench
