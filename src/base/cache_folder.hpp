// Where this user's files of clgemm lie that can be made again: compiled programs.
#pragma once

#include <filesystem>
#include <string>

namespace clgemm {

struct CacheFolder {
  std::filesystem::path path;
  std::string problem;  // why there is none; empty where there is
};

// CLGEMM_CACHE_DIR, else XDG_CACHE_HOME/clgemm, else ~/.cache/clgemm; none with CLGEMM_CACHE=0, nor in a
// setuid process. It may not exist yet.
CacheFolder cache_folder();

}  // namespace clgemm
