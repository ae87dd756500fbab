#include "choose/tuning_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/private_file.hpp"
#include "choose/tuning_json.hpp"

namespace clgemm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = std::size_t{4} << 20;  // of a file; ours have some thousands

void add_text(std::string_view text, const std::string& path, std::vector<TuningFile>& files) {
  try {
    files.push_back(parse_tuning(text, path));
  } catch (const std::exception& error) {
    log_once(LogLevel::info, fmt::format("tuning data not used: {}: {}", path, error.what()));
  }
}

void add_file(const fs::path& path, std::vector<TuningFile>& files) {
  const auto content = read_private_file(path, Links::follow, most_bytes);
  if (!content) {
    std::error_code failure;
    const bool is_there = fs::exists(path, failure);
    log_once(
        LogLevel::info,
        fmt::format("tuning data not used: {}: {}", path.string(),
                    is_there ? "not a readable file that is the user's own and that nobody else may write to"
                             : "there is no such file"));
    return;
  }
  const std::string text(content->begin(), content->end());
  add_text(text, path.string(), files);
}

void add_folder(const fs::path& folder, std::vector<TuningFile>& files) {
  std::vector<fs::path> paths;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) add_file(path, files);
}

void add_users_files(const std::string& named, std::vector<TuningFile>& files) {
  std::error_code failure;
  if (!named.empty() && fs::is_directory(named, failure)) {
    add_folder(named, files);
  } else if (!named.empty()) {
    add_file(named, files);
  }
  if (const fs::path folder = user_tuning_folder(); !folder.empty()) add_folder(folder, files);
}

}  // namespace

fs::path user_tuning_folder() {
  if (const std::string folder = environment("XDG_CONFIG_HOME"); !folder.empty())
    return fs::path(folder) / "clgemm" / "tuning";
  if (const std::string home = environment("HOME"); !home.empty())
    return fs::path(home) / ".config" / "clgemm" / "tuning";
  return {};
}

Tuning tuning_from_environment() {
  std::vector<TuningFile> files;
  const std::string named = runs_with_foreign_rights() ? "" : environment("CLGEMM_TUNING");
  if (!runs_with_foreign_rights() && named != "0") add_users_files(named, files);
  for (const EmbeddedFile& file : embedded_tuning())
    add_text(file.text, fmt::format("built-in/{}", file.path), files);
  return Tuning(std::move(files));
}

}  // namespace clgemm
