#include "base/user_folders.hpp"

#include "base/environment.hpp"

namespace clgemm {

const char* const home_variable = "HOME";

std::filesystem::path home_of_caches() {
  const std::filesystem::path home = environment(home_variable);
  return home.empty() ? home : home / ".cache";
}

std::filesystem::path home_of_settings() {
  const std::filesystem::path home = environment(home_variable);
  return home.empty() ? home : home / ".config";
}

}  // namespace clgemm
