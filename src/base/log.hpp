// CLGEMM_LOG=info or debug: what clgemm chose and why, on stderr. Without it the library never prints.
#pragma once

#include <string>

namespace clgemm {

enum class LogLevel { info, debug };

// True where CLGEMM_LOG asks for this level; for messages that cost something to make.
bool logs(LogLevel level);

// Writes one line, "clgemm: text", where CLGEMM_LOG asks for this level.
void log(LogLevel level, const std::string& text);

}  // namespace clgemm
