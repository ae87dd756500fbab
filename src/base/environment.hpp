// The process's environment variables, as the library reads all of them.
#pragma once

#include <string>

namespace clgemm {

// The variable's value; empty where it is not set.
std::string environment(const char* name);

// True in a setuid or setgid process: what its environment says is not its owner's word.
bool runs_with_foreign_rights();

}  // namespace clgemm
