#include "base/log.hpp"

#include <cstdio>

#include "base/environment.hpp"

namespace clgemm {
namespace {

// In one write, so that threads do not mix.
void write_line(const std::string& text) {
  const std::string line = "clgemm: " + text + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// A variable whose value means nothing, and is taken as if it were not set.
void say_unless(bool is_good, const char* name, const char* may_be) {
  if (is_good) return;
  write_line(std::string(name) + " is '" + environment(name) + "'; it may be " + may_be);
}

bool is_switch(const std::string& text) {
  return text.empty() || text == "0" || text == "1";
}

bool is_count(const std::string& text) {
  return text.find_first_not_of("0123456789") == std::string::npos;
}

int wanted_levels() {
  const std::string text = environment("CLGEMM_LOG");
  if (text.empty()) return 0;
  say_unless(text == "debug" || text == "info" || text == "0", "CLGEMM_LOG", "info or debug");
  say_unless(is_switch(environment("CLGEMM_CACHE")), "CLGEMM_CACHE", "0 or 1");
  say_unless(is_switch(environment("CLGEMM_SELF_TEST")), "CLGEMM_SELF_TEST", "0 or 1");
  say_unless(is_count(environment("CLGEMM_CACHE_MIB")), "CLGEMM_CACHE_MIB", "a whole number");
  return text == "debug" ? 2 : text == "info" ? 1 : 0;
}

}  // namespace

bool logs(LogLevel level) {
  static const int levels = wanted_levels();
  return static_cast<int>(level) < levels;
}

void log(LogLevel level, const std::string& text) {
  if (logs(level)) write_line(text);
}

}  // namespace clgemm
