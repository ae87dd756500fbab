#include "common/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>

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

[[noreturn]] void fail(const std::string& path) {
  throw std::runtime_error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

// errno says why not.
bool write_to(const std::string& file, const std::string& text, const std::optional<struct stat>& rights) {
  std::FILE* const out = std::fopen(file.c_str(), "we");
  if (out == nullptr) return false;
  bool done = std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0;
  done = done && (!rights || ::fchmod(::fileno(out), rights->st_mode & 07777U) == 0);
  done = done && (::fsync(::fileno(out)) == 0 || errno == EINVAL);  // a pipe or a device has no disk
  const int reason = errno;
  std::fclose(out);
  errno = reason;
  return done;
}

}  // namespace

bool can_write(const std::string& path) {
  return is_special(status_of(path)) ? ::access(path.c_str(), W_OK) == 0 : can_open(behind_links(path));
}

void write_whole(const std::string& path, const std::string& text) {
  const std::optional<struct stat> old = status_of(path);
  if (is_special(old)) {
    if (!write_to(path, text, std::nullopt)) fail(path);
    return;
  }
  const std::string target = behind_links(path);
  if (!can_open(target)) fail(path);
  const std::string beside = target + ".new";
  if (!can_open(beside)) {
    if (!write_to(target, text, std::nullopt)) fail(path);
    return;
  }
  if (write_to(beside, text, old) && ::rename(beside.c_str(), target.c_str()) == 0) return;
  const int reason = errno;
  ::unlink(beside.c_str());
  errno = reason;
  fail(path);
}

}  // namespace clgemm::bench
