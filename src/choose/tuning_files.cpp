#include "choose/tuning_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/log.hpp"
#include "base/printable.hpp"
#include "base/user_folders.hpp"
#include "choose/tuning_json.hpp"

namespace clgemm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = std::size_t{4} << 20;  // a file; ours have a few thousand

// The files that were read, and those that were skipped.
struct Found {
  std::vector<TuningFile> files;
  std::vector<std::string> passed_over;

  void pass_over(const std::string& path, const std::string& why) {
    passed_over.push_back(printable(fmt::format("{}: {}", path, why)));
    log_once(LogLevel::info, "tuning data not used: " + passed_over.back());
  }
};

void add_text(std::string_view text, const std::string& path, Found& found) {
  try {
    found.files.push_back(parse_tuning(text, path));
  } catch (const std::exception& error) {
    found.pass_over(path, error.what());
  }
}

void add_file(const fs::path& path, Owner owner, Found& found) {
  const FileContent content = read_file(path, {owner, Links::follow, most_bytes});
  if (content) {
    add_text(content.bytes, path.string(), found);
  } else {
    found.pass_over(path.string(), content.problem);
  }
}

void add_folder(const fs::path& folder, Owner owner, Found& found) {
  std::vector<fs::path> paths;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) add_file(path, owner, found);
}

// An administrator installs a file for all users of a machine, so files of root are trusted if the user names
// them. In the user's own folder, files must belong to the user.
void add_users_files(const std::string& named, Found& found) {
  std::error_code failure;
  if (!named.empty() && fs::is_directory(named, failure)) {
    add_folder(named, Owner::this_user_or_root, found);
  } else if (!named.empty()) {
    add_file(named, Owner::this_user_or_root, found);
  }
  if (const fs::path folder = user_tuning_folder(); !folder.empty())
    add_folder(folder, Owner::this_user, found);
}

}  // namespace

fs::path user_tuning_folder() {
  if (const std::string folder = environment("XDG_CONFIG_HOME"); !folder.empty())
    return fs::path(folder) / "clgemm" / "tuning";
  if (const fs::path home = home_of_settings(); !home.empty()) return home / "clgemm" / "tuning";
  return {};
}

Tuning tuning_from_environment() {
  Found found;
  const std::string named = runs_with_foreign_rights() ? "" : environment("CLGEMM_TUNING");
  if (!runs_with_foreign_rights() && named != "0") add_users_files(named, found);
  for (const EmbeddedFile& file : embedded_tuning())
    add_text(file.text, fmt::format("built-in/{}", file.path), found);
  return Tuning(std::move(found.files), std::move(found.passed_over));
}

}  // namespace clgemm
