#include "common/sample_lines.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace clgemm::bench {
namespace {

constexpr const char* head = "m,n,k,config,seconds";
constexpr const char* predicted = ",predicted";
constexpr const char* batch = ",batch";

template <class Number>
Number number_of(const std::string& text) {
  Number value{};
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || rest != text.data() + text.size())
    throw std::runtime_error(fmt::format("'{}' is no number", text));
  return value;
}

SampleLine sample_of(const std::string& line) {
  std::istringstream fields(line);
  const auto next = [&] {
    std::string field;
    std::getline(fields, field, ',');
    return field;
  };
  SampleLine result;
  result.m = number_of<std::size_t>(next());
  result.n = number_of<std::size_t>(next());
  result.k = number_of<std::size_t>(next());
  result.config = next();
  result.seconds = number_of<double>(next());
  if (const std::string field = next(); !field.empty()) result.predicted = number_of<double>(field);
  if (const std::string field = next(); !field.empty()) result.batch = number_of<std::size_t>(field);
  return result;
}

}  // namespace

std::vector<SampleLine> read_sample_lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<SampleLine> result;
  std::string line;
  const auto is_head = [&] {
    return line == head || line == std::string(head) + predicted ||
           line == std::string(head) + predicted + batch;
  };
  if (!std::getline(file, line) || !is_head())
    throw std::runtime_error(fmt::format("'{}' does not begin with '{}'", path.string(), head));
  while (std::getline(file, line)) {
    if (!is_head()) result.push_back(sample_of(line));
  }
  return result;
}

void write_sample_lines(const std::filesystem::path& path, const std::vector<SampleLine>& lines) {
  std::ofstream file(path);
  file << head << predicted << batch << '\n';
  for (const SampleLine& line : lines) {
    file << fmt::format("{},{},{},{},{:.4g},", line.m, line.n, line.k, line.config, line.seconds);
    if (line.predicted != 0.0) file << fmt::format("{:.4g}", line.predicted);
    file << fmt::format(",{}\n", line.batch);
  }
  if (!file.flush()) throw std::runtime_error(fmt::format("cannot write '{}'", path.string()));
}

}  // namespace clgemm::bench
