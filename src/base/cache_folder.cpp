#include "base/cache_folder.hpp"

#include "base/environment.hpp"
#include "base/user_folders.hpp"

namespace clgemm {

CacheFolder cache_folder() {
  namespace fs = std::filesystem;
  if (environment("CLGEMM_CACHE") == "0") return {{}, "turned off by CLGEMM_CACHE=0"};
  if (runs_with_foreign_rights()) return {{}, "not used in a setuid process"};
  if (const std::string folder = environment("CLGEMM_CACHE_DIR"); !folder.empty()) return {folder, {}};
  if (const std::string folder = environment("XDG_CACHE_HOME"); !folder.empty())
    return {fs::path(folder) / "clgemm", {}};
  if (const fs::path home = home_of_caches(); !home.empty()) return {home / "clgemm", {}};
  return {{}, std::string("none of CLGEMM_CACHE_DIR, XDG_CACHE_HOME and ") + home_variable + " is set"};
}

}  // namespace clgemm
