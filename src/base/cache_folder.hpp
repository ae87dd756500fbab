// Finds the folder for this user's files of clgemm that can be made again: compiled programs.
#pragma once

#include <filesystem>
#include <string>

namespace clgemm {

struct CacheFolder {
  std::filesystem::path path;
  std::string problem;  // why there is no folder; empty if there is one
};

// Returns CLGEMM_CACHE_DIR, or else XDG_CACHE_HOME/clgemm, or else ~/.cache/clgemm. Returns no folder if
// CLGEMM_CACHE=0 is set, or in a setuid process. The folder may not exist yet.
CacheFolder cache_folder();

}  // namespace clgemm
