#include "common/sample_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "common/number.hpp"
#include "common/whole_file.hpp"

namespace clgemm::bench {
namespace {

constexpr const char* head = "m,n,k,config,seconds";
constexpr const char* predicted = ",predicted";
constexpr const char* batch = ",batch";
constexpr const char* transposes = ",transposes";

template <class Number>
Number number_of(const std::string& text) {
  const std::optional<Number> value = number_in<Number>(text);
  if (!value) throw std::runtime_error(fmt::format("'{}' is not a number", text));
  return *value;
}

void demand(bool is_right, const char* said) {
  if (!is_right) throw std::runtime_error(said);
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
  if (const std::string field = next(); !field.empty()) result.transposes = field;
  const auto [least, most] = std::minmax({result.m, result.n, result.k, result.batch});
  demand(least > 0, "m, n, k and batch must be at least 1");
  demand(most <= std::numeric_limits<std::int32_t>::max(), "m, n, k and batch must be less than 2^31");
  demand(std::isfinite(result.seconds) && result.seconds > 0.0, "seconds must be a number above 0");
  demand(result.transposes.size() == 2 && result.transposes.find_first_not_of("nt") == std::string::npos,
         "the transposes must be nn, nt, tn or tt");
  demand(std::isfinite(result.predicted) && result.predicted >= 0.0,
         "predicted seconds must be a number of at least 0");
  return result;
}

}  // namespace

std::vector<SampleLine> read_sample_lines(const std::filesystem::path& path) {
  std::istringstream file(read_whole(path.string()));
  std::vector<SampleLine> result;
  std::string line;
  const auto is_head = [&] {
    return line == head || line == std::string(head) + predicted ||
           line == std::string(head) + predicted + batch ||
           line == std::string(head) + predicted + batch + transposes;
  };
  if (!std::getline(file, line) || !is_head())
    throw std::runtime_error(fmt::format("'{}' does not begin with '{}'", path.string(), head));
  for (std::size_t number = 2; std::getline(file, line); ++number) {
    if (is_head()) continue;
    try {
      result.push_back(sample_of(line));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", path.string(), number, error.what()));
    }
  }
  return result;
}

void write_sample_lines(const std::filesystem::path& path, const std::vector<SampleLine>& lines) {
  std::ostringstream file;
  file << head << predicted << batch << transposes << '\n';
  for (const SampleLine& line : lines) {
    file << fmt::format("{},{},{},{},{:.4g},", line.m, line.n, line.k, line.config, line.seconds);
    if (line.predicted != 0.0) file << fmt::format("{:.4g}", line.predicted);
    file << fmt::format(",{},{}\n", line.batch, line.transposes);
  }
  write_whole(path.string(), file.str());
}

}  // namespace clgemm::bench
