#include "common/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace clgemm::bench {

Progress::Progress() : on_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  clear();
}

void Progress::clear() {
  if (on_terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::show(const std::string& text) {
  if (on_terminal_) fmt::print(stderr, "\r\033[K{:.79}", text);
}

}  // namespace clgemm::bench
