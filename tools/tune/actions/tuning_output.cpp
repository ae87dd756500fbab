#include "tune/actions/tuning_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/user_folders.hpp"
#include "choose/tuning_files.hpp"
#include "choose/tuning_json.hpp"
#include "common/usage_error.hpp"
#include "common/whole_file.hpp"

namespace clgemm::tune {
namespace {

namespace fs = std::filesystem;

// Makes the folder of the user's tuning data, from which the library reads. Throws UsageError if any other
// folder is missing, because a mistyped name must not become a folder.
void demand_folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  if (folder.empty()) return;
  if (folder == user_tuning_folder()) make_folders(folder, FolderReaders::everyone);
  if (!fs::exists(folder))
    throw bench::UsageError(
        fmt::format("cannot write '{}': there is no folder '{}'", path.string(), folder.string()));
}

// Keeps letters and digits of a name, with one _ for anything between them.
std::string as_file_name(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!result.empty() && result.back() != '_') {
      result += '_';
    }
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  return result.empty() ? "device" : result;
}

// Throws std::runtime_error with the position of the error, in words that need no knowledge of the parser.
void demand_json(const std::string& text, const fs::path& path) {
  try {
    [[maybe_unused]] const auto parsed = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const std::string before = text.substr(0, std::max<std::size_t>(error.byte, 1) - 1);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    throw std::runtime_error(
        fmt::format("'{}' exists but is not JSON: line {}, column {}", path.string(), line, column));
  }
}

}  // namespace

fs::path default_output(const Device& device) {
  const fs::path folder = user_tuning_folder();
  if (folder.empty())
    throw std::runtime_error(fmt::format(
        "neither XDG_CONFIG_HOME nor {} is set; name the file with --output FILE", home_variable));
  return folder / (as_file_name(device.name) + ".json");
}

TuningFile read_output(const fs::path& path, const Device& device) {
  TuningFile result{path.string(), tuned_device(device), {}, {}, {}};
  if (!fs::exists(path)) return result;
  TuningFile before = read_file(path);
  if (kinship(before.device, device) != Kinship::same) return result;
  before.device = result.device;
  return before;
}

TuningFile read_file(const fs::path& path) {
  const std::string text = bench::read_whole(path.string());
  demand_json(text, path);
  try {
    return parse_tuning(text, path.string());
  } catch (const Error& error) {
    throw std::runtime_error(
        fmt::format("'{}' exists but has no tuning data of this version: {}", path.string(), error.what()));
  }
}

void demand_writable(const fs::path& path) {
  if (path.empty()) return;
  demand_folder_of(path);
  if (!bench::can_write(path.string()))
    throw std::runtime_error(fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)));
}

void write_output(const fs::path& path, const TuningFile& file) {
  const std::string text = write_tuning(file);
  parse_tuning(text, path.string());
  demand_folder_of(path);
  bench::write_whole(path.string(), text);
}

void replace_entry(TuningFile& file, const TunedEntry& entry) {
  const std::string key = entry_key(entry);
  const auto found = std::find_if(file.measured.begin(), file.measured.end(),
                                  [&](const TunedEntry& one) { return entry_key(one) == key; });
  if (found == file.measured.end()) {
    file.measured.push_back(entry);
  } else {
    *found = entry;
  }
}

}  // namespace clgemm::tune
