#include "base/json_depth.hpp"

#include <cstddef>

namespace clgemm {
namespace {

constexpr std::size_t most_depth = 100;  // clgemm's own files have 6

}  // namespace

bool is_nested_too_deeply(std::string_view json) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      i += c == '\\' ? 1 : 0;
    } else if (c == '[' || c == '{') {
      if (++depth > most_depth) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace clgemm
