#include "build/ptx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.hpp"

namespace clgemm {
namespace {

constexpr std::string_view target_directive = ".target";
constexpr std::string_view blanks = " \t";

[[noreturn]] void fail(const std::string& text) {
  throw Error(ErrorCode::build_failed, text);
}

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(blanks), line.size()));
}

// Returns the target of a line `.target sm_90, debug`; empty for any other line.
std::string_view target_of(std::string_view line) {
  const std::string_view text = without_indent(line);
  if (text.substr(0, target_directive.size()) != target_directive) return {};
  const std::string_view value = without_indent(text.substr(target_directive.size()));
  return value.substr(0, std::min(value.find_first_of(", \t\r\n/;"), value.size()));
}

// Throws an Error if the target is wrong. sm_90a is the architecture-specific target of sm_90.
void check_target(std::string_view found, std::string_view wanted) {
  if (found == wanted || found == wanted.substr(0, wanted.size() - 1)) return;
  fail(fmt::format("its target is '{}' instead of the general target of '{}'", found, wanted));
}

}  // namespace

std::string retargeted_ptx(std::string_view ptx, std::string_view target) {
  std::string result;
  result.reserve(ptx.size() + target.size());
  std::size_t targets = 0;
  std::size_t markers = 0;
  while (!ptx.empty()) {
    const std::size_t length = std::min(ptx.find('\n'), ptx.size() - 1) + 1;
    const std::string_view line = ptx.substr(0, length);
    ptx.remove_prefix(length);
    const std::string_view found = target_of(line);
    const std::string_view text = without_indent(line);
    if (!found.empty()) {
      check_target(found, target);
      const auto place = static_cast<std::size_t>(found.data() - line.data());
      result.append(line.substr(0, place)).append(target).append(line.substr(place + found.size()));
      ++targets;
    } else if (text.substr(0, ptx_marker.size()) == ptx_marker) {
      result.append(text.substr(ptx_marker.size()));
      ++markers;
    } else {
      result.append(line);
    }
  }
  if (targets != 1)
    fail(fmt::format("it has {} '.target' lines instead of one, so it may not be PTX", targets));
  if (result.find(ptx_marker) != std::string::npos) {
    fail(fmt::format("it has '{}' in the middle of a line", ptx_marker));
  }
  if (markers == 0) fail(fmt::format("it has no line marked '{}'", ptx_marker));
  return result;
}

std::string limited_ptx(std::string_view ptx, std::size_t registers) {
  constexpr std::string_view size_directive = "\n.reqntid ";
  const std::size_t place = ptx.find(size_directive);
  const bool is_one = place != std::string_view::npos && ptx.rfind(size_directive) == place;
  std::string result(ptx);
  if (is_one) result.insert(place, fmt::format("\n.maxnreg {}", registers));
  return result;
}

}  // namespace clgemm
