// The process's environment variables, as the library reads all of them.
#pragma once

#include <string>

namespace clgemm {

// The variable's value; empty if it is not set.
std::string environment(const char* name);

// Sets a variable for this process and those that it starts, or removes it. While another thread reads
// variables, neither may be called.
void set_environment(const char* name, const std::string& value);
void unset_environment(const char* name);

// True in a setuid or setgid process: what its environment says is not its owner's word. Never on
// Windows, which has no such processes.
bool runs_with_foreign_rights();

}  // namespace clgemm
