#include "kernel/config_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "base/error.hpp"
#include "base/words.hpp"

namespace clgemm {
namespace {

constexpr std::size_t most_configs = 1000;  // in a line; the longest line of ours has 45

[[noreturn]] void fail(std::string_view found, std::string_view reason) {
  throw Error(ErrorCode::invalid_kernel_file, fmt::format("'{}': {}", found, reason));
}

// Parses the values of one tuple: "64 128".
Parameters parse_values(std::string_view text, const std::vector<std::string>& names) {
  const std::vector<std::string> words = words_of(text);
  if (words.size() != names.size())
    fail(text, fmt::format("expected {} values, for {}", names.size(), fmt::join(names, " ")));
  Parameters result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<std::int64_t> value = integer_of(words[i]);
    if (!value) fail(words[i], "expected an integer");
    if (!result.emplace(names[i], *value).second) fail(names[i], "this parameter appears twice");
  }
  return result;
}

// Parses a group: "BM BN: 64 128, 128 64".
std::vector<Parameters> parse_group(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::vector<std::string> names = words_of(text.substr(0, colon));
  if (colon == std::string_view::npos || names.empty())
    fail(text, "expected 'defaults' or 'NAME ...: value ..., value ...'");
  std::vector<Parameters> result;
  for (const std::string_view values : parts_of(text.substr(colon + 1), ','))
    result.push_back(parse_values(values, names));
  return result;
}

std::vector<Parameters> multiplied_out(const std::vector<Parameters>& list,
                                       const std::vector<Parameters>& group) {
  std::vector<Parameters> result;
  for (const Parameters& values : list) {
    for (Parameters both : group) {
      for (const auto& [name, value] : values) {
        if (!both.emplace(name, value).second) fail(name, "this parameter appears twice");
      }
      result.push_back(std::move(both));
    }
  }
  return result;
}

}  // namespace

std::vector<Parameters> parse_config_list(std::string_view text) {
  std::vector<Parameters> result = {{}};
  if (text == "defaults") return result;
  for (const std::string_view part : parts_of(text, ';')) {
    const std::vector<Parameters> group = parse_group(part);
    if (group.size() * result.size() > most_configs)
      fail(text, fmt::format("expected {} configs at most", most_configs));
    result = multiplied_out(result, group);
  }
  return result;
}

}  // namespace clgemm
