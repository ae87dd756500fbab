// CLGEMM_LOG=info or debug: what clgemm chose and why, on stderr. Without it the library never prints.
#pragma once

#include <string>
#include <vector>

namespace clgemm {

enum class LogLevel { info, debug };

// True where CLGEMM_LOG asks for this level; for messages that cost something to make.
bool logs(LogLevel level);

// An environment variable, and which values mean something.
struct Variable {
  const char* name;
  bool (*is_good)(const std::string& value);
  const char* may_be;  // in words
};
bool is_switch(const std::string& value);  // 0 or 1
bool is_count(const std::string& value);   // a whole number from 1 on

// Says which of them have values that mean nothing and are taken as if they were not set, where CLGEMM_LOG is
// set to anything but 0.
void log_bad_values(const std::vector<Variable>& variables);

// Writes one line, "clgemm: text", where CLGEMM_LOG asks for this level.
void log(LogLevel level, const std::string& text);

// The same, once a process for each text: what is wrong with its surroundings every Context finds.
void log_once(LogLevel level, const std::string& text);

}  // namespace clgemm
