#include "base/user_folders.hpp"

#include "base/environment.hpp"

namespace clgemm {

const char* const home_variable = "LOCALAPPDATA";

std::filesystem::path home_of_caches() {
  const std::filesystem::path home = environment(home_variable);
  return home.empty() ? home : home;
}

std::filesystem::path home_of_settings() {
  const std::filesystem::path home = environment(home_variable);
  return home.empty() ? home : home;
}

}  // namespace clgemm
