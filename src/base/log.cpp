#include "base/log.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <set>

#include "base/environment.hpp"
#include "base/printable.hpp"

namespace clgemm {
namespace {

// Writes the line in one call, so that lines of several threads do not mix.
void write_line(const std::string& text) {
  const std::string line = "clgemm: " + printable_lines(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int wanted_levels() {
  const std::string text = environment("CLGEMM_LOG");
  return text == "debug" ? 2 : text == "info" ? 1 : 0;
}

}  // namespace

bool is_switch(const std::string& value) {
  return value == "0" || value == "1";
}

bool is_count(const std::string& value) {
  return value.find_first_not_of("0123456789") == std::string::npos &&
         value.find_first_not_of('0') != std::string::npos;
}

void log_bad_values(const std::vector<Variable>& variables) {
  if (const std::string wanted = environment("CLGEMM_LOG"); wanted.empty() || wanted == "0") return;
  for (const Variable& variable : variables) {
    const std::string value = environment(variable.name);
    if (value.empty() || variable.is_good(value)) continue;
    write_line(std::string(variable.name) + " is '" + printable(value) + "'; it must be " + variable.may_be);
  }
}

bool logs(LogLevel level) {
  static const int levels = wanted_levels();
  return static_cast<int>(level) < levels;
}

void log(LogLevel level, const std::string& text) {
  if (logs(level)) write_line(text);
}

void log_once(LogLevel level, const std::string& text) {
  static auto& mutex = *new std::mutex;  // may outlive static destructors, like the set below
  static auto& said = *new std::set<std::string>;
  if (!logs(level)) return;
  const std::lock_guard lock(mutex);
  if (said.insert(text).second) write_line(text);
}

std::string milliseconds(double seconds) {
  return fmt::format("{:.4g} ms", seconds * 1e3);
}

}  // namespace clgemm
