// The program clgemm-tune, for tests that run it.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string>

namespace clgemm::tune {

// Returns a command for clgemm-tune with these options, in a separate folder.
inline std::string command(const std::string& options, const std::string& environment = {}) {
  return fmt::format("{} '{}' {}", environment, CLGEMM_TUNE_PROGRAM, options);
}

// Returns the first journal beside the output, by name, or an empty text if there is none.
inline std::string journal_of(const std::filesystem::path& output) {
  std::set<std::string> found;
  for (const auto& one : std::filesystem::directory_iterator(output.parent_path())) {
    const std::string name = one.path().filename().string();
    if (name.rfind(output.filename().string() + ".", 0) == 0 && one.path().extension() == ".journal")
      found.insert(one.path().string());
  }
  return found.empty() ? std::string() : *found.begin();
}

}  // namespace clgemm::tune
