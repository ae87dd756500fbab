#include "base/environment.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>

namespace clgemm {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void set_environment(const char* name, const std::string& value) {
  ::setenv(name, value.c_str(), 1);
}

void unset_environment(const char* name) {
  ::unsetenv(name);
}

bool runs_with_foreign_rights() {
  return ::geteuid() != ::getuid() || ::getegid() != ::getgid() || ::getauxval(AT_SECURE) != 0;
}

}  // namespace clgemm
