// The environment variables of the process. The library reads all of them through these functions.
#pragma once

#include <string>

namespace clgemm {

// Returns the variable's value, or an empty text if it is not set.
std::string environment(const char* name);

// Set a variable for this process and the processes that it starts, or remove it. Do not call them while
// another thread reads variables.
void set_environment(const char* name, const std::string& value);
void unset_environment(const char* name);

// Returns true in a setuid or setgid process, whose environment was not set by its owner. Always false on
// Windows, which has no such processes.
bool runs_with_foreign_rights();

}  // namespace clgemm
