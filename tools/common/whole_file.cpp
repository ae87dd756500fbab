#include "common/whole_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/files.hpp"

namespace clgemm::bench {
namespace {

namespace fs = std::filesystem;

// Returns the status of the file behind all links.
fs::file_status status_of(const std::string& path) {
  std::error_code none;
  return fs::status(path, none);
}

// Returns true for a pipe or a device, which nothing can replace. A folder is not special.
bool is_special(const fs::file_status& status) {
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// Follows the links, even if their target does not exist, because a file that is renamed to a link would
// replace the link. A circle of links ends, too, and cannot be opened then.
std::string behind_links(fs::path path) {
  constexpr int most_links = 40;  // the limit of Linux
  std::error_code none;
  for (int links = 0; links < most_links && fs::is_symlink(fs::symlink_status(path, none)); ++links) {
    path = path.parent_path() / fs::read_symlink(path, none);  // an absolute path replaces the first part
  }
  return path.string();
}

bool can_open(const std::string& file) {
  const bool is_there = fs::exists(status_of(file));
  File opened = open_to_write(file, Opened::as_it_is);
  if (!opened.is_open()) return false;
  opened.close();
  std::error_code none;
  if (!is_there) fs::remove(file, none);
  return true;
}

// Writes into an existing file, a pipe or a device.
std::error_code write_into(const std::string& path, const std::string& text) {
  File file = open_to_write(path, Opened::emptied);
  if (file.is_open() && file.write_all(text) && file.close()) return {};
  return {errno, std::generic_category()};
}

std::error_code write(const std::string& path, const std::string& text) {
  const fs::file_status old = status_of(path);
  if (is_special(old)) return write_into(path, text);
  const std::string target = behind_links(path);
  if (!can_open(target)) return {errno, std::generic_category()};
  const std::error_code failure = replace_file(target, text);
  // No file can be made in a folder that the user may not write to.
  const bool is_closed =
      failure == std::errc::permission_denied || failure == std::errc::read_only_file_system;
  return is_closed && fs::exists(old) ? write_into(target, text) : failure;
}

}  // namespace

std::string read_whole(const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t{256} << 20U;
  FileContent content = read_file(path, {Owner::anyone, Links::follow, most_bytes});
  if (!content) throw std::runtime_error(fmt::format("cannot read '{}': {}", path, content.problem));
  return std::move(content.bytes);
}

bool can_write(const std::string& path) {
  return is_special(status_of(path)) ? may_write(path) : can_open(behind_links(path));
}

void write_whole(const std::string& path, const std::string& text) {
  const std::error_code failure = write(path, text);
  if (failure) throw std::runtime_error(fmt::format("cannot write '{}': {}", path, failure.message()));
}

}  // namespace clgemm::bench
