#include "common/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/platform/terminal.hpp"

namespace clgemm::bench {

Progress::Progress() : on_terminal_(is_terminal(Stream::error)) {}

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
