// CLGEMM_LOG=info or debug: prints what clgemm chose and why on stderr. Without it the library never prints.
#pragma once

#include <string>
#include <vector>

namespace clgemm {

enum class LogLevel { info, debug };

// Returns whether CLGEMM_LOG asks for this level. Used before messages that are expensive to make.
bool logs(LogLevel level);

// An environment variable and its valid values.
struct Variable {
  const char* name;
  bool (*is_good)(const std::string& value);
  const char* may_be;  // the valid values in words
};
bool is_switch(const std::string& value);  // 0 or 1
bool is_count(const std::string& value);   // a whole number from 1 on

// Logs which of the variables have invalid values and are treated as unset. It does so if CLGEMM_LOG is set
// to anything but 0.
void log_bad_values(const std::vector<Variable>& variables);

// Writes one line, "clgemm: text", if CLGEMM_LOG asks for this level.
void log(LogLevel level, const std::string& text);

// Does the same, but once a process for each text, because every Context finds the same problems in its
// environment.
void log_once(LogLevel level, const std::string& text);

// Returns a time as text in milliseconds, such as "1.234 ms".
std::string milliseconds(double seconds);

}  // namespace clgemm
