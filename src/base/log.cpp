#include "base/log.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace clgemm {
namespace {

int wanted_levels() {
  const char* value = std::getenv("CLGEMM_LOG");
  const std::string_view text = value == nullptr ? "" : value;
  return text == "debug" ? 2 : text == "info" ? 1 : 0;
}

}  // namespace

bool logs(LogLevel level) {
  static const int levels = wanted_levels();
  return static_cast<int>(level) < levels;
}

void log(LogLevel level, const std::string& text) {
  if (!logs(level)) return;
  const std::string line = "clgemm: " + text + "\n";  // in one write, so that threads do not mix
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace clgemm
