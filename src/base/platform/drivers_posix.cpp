#include "base/platform/drivers.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/environment.hpp"
#include "base/words.hpp"

namespace clgemm {
namespace {

// OCL_ICD_VENDORS may name one file, or a library. The loader itself handles the rest for a library.
std::vector<std::filesystem::path> vendor_files() {
  const std::string named = environment("OCL_ICD_VENDORS");
  const std::filesystem::path place = named.empty() ? "/etc/OpenCL/vendors" : named;
  std::vector<std::filesystem::path> result;
  std::error_code failure;
  if (std::filesystem::is_regular_file(place, failure)) result.push_back(place);
  std::filesystem::directory_iterator entry(place, failure);
  if (!failure) {
    for (; entry != std::filesystem::directory_iterator(); entry.increment(failure))
      result.push_back(entry->path());
  }
  std::erase_if(result, [](const auto& path) { return path.extension() != ".icd"; });
  std::sort(result.begin(), result.end());
  return result;
}

std::string library_of(const std::filesystem::path& vendor_file) {
  std::ifstream file(vendor_file);
  std::string line;
  std::getline(file, line);
  return std::string(trimmed(line));
}

}  // namespace

std::vector<InstalledDriver> installed_drivers() {
  std::vector<InstalledDriver> result;
  for (const std::filesystem::path& file : vendor_files()) {
    std::string library = library_of(file);
    if (!library.empty()) result.push_back({file.string(), std::move(library)});
  }
  return result;
}

bool gathers_commands() {
  return false;
}

}  // namespace clgemm
