#include "common/terminal.hpp"

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "base/platform/terminal.hpp"

namespace clgemm::bench {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::size_t terminal_width() {
  const unsigned long columns = std::strtoul(variable("COLUMNS").data(), nullptr, 10);
  if (columns != 0) return columns;
  const std::size_t known = terminal_columns();
  return known != 0 ? known : Terminal{}.width;
}

}  // namespace

Terminal terminal_of(const std::ostream& out) {
  if (&out != &std::cout || !is_terminal(Stream::output)) return {};
  return {terminal_width(), variable("NO_COLOR").empty() && variable("TERM") != "dumb"};
}

}  // namespace clgemm::bench
