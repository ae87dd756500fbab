#include "tune/calibration/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "common/number.hpp"
#include "common/sample_lines.hpp"

namespace clgemm::tune {
namespace {

std::int64_t value_of(const std::string& text) {
  const auto value = bench::number_in<std::int64_t>(text);
  if (!value) throw std::runtime_error(fmt::format("'{}' is not a number", text));
  return *value;
}

Config config_of(const std::string& text) {
  std::istringstream words(text);
  Config config;
  words >> config.kernel;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw std::runtime_error(fmt::format("'{}': NAME=VALUE expected", word));
    config.parameters[word.substr(0, equals)] = value_of(word.substr(equals + 1));
  }
  return config;
}

}  // namespace

std::vector<Sample> read_samples(const std::filesystem::path& path, const std::vector<std::string>& known) {
  std::vector<Sample> samples;
  for (const bench::SampleLine& line : bench::read_sample_lines(path)) {
    Config config = config_of(line.config);
    const bool is_known = std::find(known.begin(), known.end(), config.kernel) != known.end();
    if (is_known)
      samples.push_back({sample_shape({line.m, line.n, line.k}, line.batch, line.transposes),
                         std::move(config), line.seconds});
  }
  return samples;
}

void write_samples(const std::filesystem::path& path, const std::vector<Sample>& samples,
                   const std::vector<double>& predicted) {
  std::vector<bench::SampleLine> lines;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& [shape, config, seconds] = samples[i];
    lines.push_back({shape.m, shape.n, shape.k, to_string(config), seconds, predicted[i], shape.batch,
                     transposes_of(shape)});
  }
  bench::write_sample_lines(path, lines);
}

std::string transposes_of(const SampleShape& shape) {
  return {shape.transpose_a ? 't' : 'n', shape.transpose_b ? 't' : 'n'};
}

SampleShape sample_shape(const GemmSize& size, std::size_t batch, const std::string& transposes) {
  return {size, batch, transposes[0] == 't', transposes[1] == 't'};
}

Problem problem_of(const SampleShape& shape, const Device& device) {
  SgemmCall call;
  if (shape.transpose_a) call.transpose_a = Transpose::yes;
  if (shape.transpose_b) call.transpose_b = Transpose::yes;
  call.m = shape.m;
  call.n = shape.n;
  call.k = shape.k;
  call.lda = lines_of_a(call).length;
  call.ldb = lines_of_b(call).length;
  call.ldc = lines_of_c(call).length;
  call.batch_count = shape.batch;
  call.stride_a = shape.m * shape.k;
  call.stride_b = shape.k * shape.n;
  call.stride_c = shape.m * shape.n;
  Problem problem = canonical(call);
  problem.a.base_alignment = problem.b.base_alignment = device.base_alignment_bytes / sizeof(float);
  return problem;
}

Config without_slices(const Config& config) {
  Config result = config;
  result.parameters.erase(split_parameter);
  return result;
}

}  // namespace clgemm::tune
