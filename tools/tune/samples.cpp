#include "tune/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace clgemm::tune {
namespace {

constexpr const char* head = "m,n,k,config,seconds";

template <class Number>
Number number_of(const std::string& text) {
  Number value{};
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || rest != text.data() + text.size())
    throw std::runtime_error(fmt::format("'{}' is no number", text));
  return value;
}

Config config_of(const std::string& text) {
  std::istringstream words(text);
  Config config;
  words >> config.kernel;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw std::runtime_error(fmt::format("'{}': NAME=VALUE expected", word));
    config.parameters[word.substr(0, equals)] = number_of<std::int64_t>(word.substr(equals + 1));
  }
  return config;
}

Sample sample_of(const std::string& line) {
  std::istringstream fields(line);
  std::string m;
  std::string n;
  std::string k;
  std::string config;
  std::string seconds;
  std::getline(fields, m, ',');
  std::getline(fields, n, ',');
  std::getline(fields, k, ',');
  std::getline(fields, config, ',');
  std::getline(fields, seconds);
  return {{number_of<std::size_t>(m), number_of<std::size_t>(n), number_of<std::size_t>(k)},
          config_of(config),
          number_of<double>(seconds)};
}

}  // namespace

std::vector<Sample> read_samples(const std::filesystem::path& path, const std::vector<std::string>& known) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != head)
    throw std::runtime_error(fmt::format("'{}' does not begin with '{}'", path.string(), head));
  std::vector<Sample> samples;
  while (std::getline(file, line)) {
    if (line == head) continue;  // of the next file, where several were put together
    Sample sample = sample_of(line);
    const bool is_known = std::find(known.begin(), known.end(), sample.config.kernel) != known.end();
    if (is_known && sample.seconds > 0.0) samples.push_back(std::move(sample));
  }
  return samples;
}

void write_samples(const std::filesystem::path& path, const std::vector<Sample>& samples) {
  std::ofstream file(path);
  file << head << '\n';
  for (const Sample& sample : samples) {
    file << fmt::format("{},{},{},{},{:.4g}\n", sample.size.m, sample.size.n, sample.size.k,
                        to_string(sample.config), sample.seconds);
  }
  if (!file.flush()) throw std::runtime_error(fmt::format("cannot write '{}'", path.string()));
}

Problem problem_of(const ShapeSize& size, const Device& device) {
  SgemmCall call;
  call.m = size.m;
  call.n = size.n;
  call.k = size.k;
  call.lda = lines_of_a(call).length;
  call.ldb = lines_of_b(call).length;
  call.ldc = lines_of_c(call).length;
  Problem problem = canonical(call);
  problem.a.base_alignment = problem.b.base_alignment = device.base_alignment_bytes / sizeof(float);
  return problem;
}

Config without_parts(const Config& config) {
  Config result = config;
  result.parameters.erase(split_parameter);
  return result;
}

std::size_t parts_of(const Config& config) {
  const auto found = config.parameters.find(split_parameter);
  return found == config.parameters.end() ? 1 : static_cast<std::size_t>(found->second);
}

}  // namespace clgemm::tune
