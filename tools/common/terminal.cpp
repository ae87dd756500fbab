#include "common/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

namespace clgemm::bench {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::size_t terminal_width() {
  const unsigned long columns = std::strtoul(variable("COLUMNS").data(), nullptr, 10);
  if (columns != 0) return columns;
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  return known ? size.ws_col : Terminal{}.width;
}

}  // namespace

Terminal terminal_of(const std::ostream& out) {
  if (&out != &std::cout || isatty(STDOUT_FILENO) != 1) return {};
  return {terminal_width(), variable("NO_COLOR").empty() && variable("TERM") != "dumb"};
}

}  // namespace clgemm::bench
