#include "common/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/files.hpp"

namespace clgemm::bench {
namespace {

namespace fs = std::filesystem;

// Nothing where nothing is there, behind all links.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

// A pipe or a device: nothing can be put in its place. A folder is none.
bool is_special(const std::optional<struct stat>& status) {
  return status && !S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode);
}

// Where the links lead, there being something or not: what is renamed to a link takes its place. A circle of
// links ends, too, and cannot be opened then.
std::string behind_links(fs::path path) {
  constexpr int most_links = 40;  // as Linux has it
  std::error_code none;
  for (int links = 0; links < most_links && fs::is_symlink(fs::symlink_status(path, none)); ++links) {
    path = path.parent_path() / fs::read_symlink(path, none);  // an absolute one stands alone
  }
  return path.string();
}

bool can_open(const std::string& file) {
  const bool is_there = status_of(file).has_value();
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (opened < 0) return false;
  ::close(opened);
  if (!is_there) ::unlink(file.c_str());
  return true;
}

// Writes into a file that is there, a pipe or a device.
std::error_code write_into(const std::string& path, const std::string& text) {
  File file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (file.is_open() && file.write_all(text) && file.close()) return {};
  return {errno, std::generic_category()};
}

std::error_code write(const std::string& path, const std::string& text) {
  const std::optional<struct stat> old = status_of(path);
  if (is_special(old)) return write_into(path, text);
  const std::string target = behind_links(path);
  if (!can_open(target)) return {errno, std::generic_category()};
  const std::error_code failure = replace_file(target, text);
  // Nothing can be made in a folder that the user may not write to.
  const bool is_closed =
      failure == std::errc::permission_denied || failure == std::errc::read_only_file_system;
  return is_closed && old ? write_into(target, text) : failure;
}

}  // namespace

std::string read_whole(const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t{256} << 20U;
  FileContent content = read_file(path, {Owner::anyone, Links::follow, most_bytes});
  if (!content) throw std::runtime_error(fmt::format("cannot read '{}': {}", path, content.problem));
  return std::move(content.bytes);
}

bool can_write(const std::string& path) {
  return is_special(status_of(path)) ? ::access(path.c_str(), W_OK) == 0 : can_open(behind_links(path));
}

void write_whole(const std::string& path, const std::string& text) {
  const std::error_code failure = write(path, text);
  if (failure) throw std::runtime_error(fmt::format("cannot write '{}': {}", path, failure.message()));
}

}  // namespace clgemm::bench
