#include "kernel/config.hpp"

#include <fmt/format.h>

namespace clgemm {

std::string describe_values(const Parameters& values) {
  std::string result;
  for (const auto& [name, value] : values)
    result += fmt::format("{}{}={}", result.empty() ? "" : " ", name, value);
  return result;
}

std::string to_string(const Config& config) {
  const std::string values = describe_values(config.parameters);
  return values.empty() ? config.kernel : config.kernel + " " + values;
}

}  // namespace clgemm
