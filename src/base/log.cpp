#include "base/log.hpp"

#include <cstdio>

#include "base/environment.hpp"

namespace clgemm {
namespace {

int wanted_levels() {
  const std::string text = environment("CLGEMM_LOG");
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
