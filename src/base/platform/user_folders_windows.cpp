#include "base/user_folders.hpp"

#include "base/environment.hpp"

namespace clgemm {

const char* const home_variable = "LOCALAPPDATA";

std::filesystem::path home_of_caches() {
  return environment(home_variable);
}

std::filesystem::path home_of_settings() {
  return environment(home_variable);
}

}  // namespace clgemm
