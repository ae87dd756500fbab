#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace clgemm {
namespace {

namespace fs = std::filesystem;

constexpr mode_t owner_only = 0600;
constexpr mode_t all_may_read = 0644;

std::error_code last_error() {
  return {errno, std::generic_category()};
}

std::string last_message() {
  return last_error().message();
}

bool has_status(const File& file, struct stat& status) {
  return file.is_open() && ::fstat(file.get(), &status) == 0;
}

// Returns "" if only the owner may write.
std::string other_writers(const struct stat& status) {
  const bool group = (status.st_mode & S_IWGRP) != 0;
  const bool others = (status.st_mode & S_IWOTH) != 0;
  if (group && others) return "its group and all others";
  return group ? "its group" : others ? "all others" : "";
}

bool is_trusted(uid_t owner, Owner wanted) {
  return owner == ::geteuid() || (wanted == Owner::this_user_or_root && owner == 0);
}

std::string stranger(uid_t owner, Owner wanted) {
  return fmt::format("it belongs to user {}, not to this user{}", owner,
                     wanted == Owner::this_user_or_root ? " or root" : "");
}

// Returns why the file is not trusted; empty if it is.
std::string distrust(const struct stat& status, Owner wanted) {
  if (!S_ISREG(status.st_mode)) return "it is not a regular file";
  if (wanted == Owner::anyone) return {};
  if (!is_trusted(status.st_uid, wanted)) return stranger(status.st_uid, wanted);
  const std::string writers = other_writers(status);
  return writers.empty() ? std::string{} : writers + " may write to it; chmod go-w";
}

std::string why_not_opened() {
  return errno == ELOOP ? "it is a symbolic link, or there are too many of them" : last_message();
}

// Reads at most `most` bytes and one more.
bool read_up_to(const File& file, std::size_t most, std::string& bytes) {
  std::array<char, 65536> buffer{};
  while (bytes.size() <= most) {
    const std::size_t wanted = std::min(buffer.size(), most - bytes.size() + 1);
    const ssize_t count = ::read(file.get(), buffer.data(), wanted);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) return true;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return true;
}

FileContent read_in(int folder, const char* name, const ReadRules& rules) {
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const int no_links = rules.links == Links::refuse ? O_NOFOLLOW : 0;
  const File file(::openat(folder, name, O_RDONLY | no_links | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!has_status(file, status)) return {{}, why_not_opened()};
  if (std::string problem = distrust(status, rules.owner); !problem.empty()) return {{}, std::move(problem)};
  const auto size = static_cast<std::uintmax_t>(status.st_size);
  FileContent content;
  if (size <= rules.most_bytes) {
    content.bytes.reserve(static_cast<std::size_t>(size));
    if (!read_up_to(file, rules.most_bytes, content.bytes)) return {{}, last_message()};
  }
  if (size > rules.most_bytes || content.bytes.size() > rules.most_bytes)
    return {{}, fmt::format("it has more than {} bytes", rules.most_bytes)};
  return content;
}

// A file with an unpredictable name.
struct Temporary {
  File file;
  std::string name;
};

Temporary make_temporary(int folder, mode_t mode) {
  constexpr int most_tries = 100;
  for (int i = 0; i < most_tries; ++i) {
    std::uint64_t number = 0;
    if (::getentropy(&number, sizeof number) != 0) return {};
    std::string name = fmt::format("{}{:016x}", temporary_prefix, number);
    File file(::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (file.is_open() || errno != EEXIST) return {std::move(file), std::move(name)};
  }
  return {};
}

// The rights to read a file that is written.
struct Mode {
  mode_t bits;
  bool is_up_to_umask;  // whether a umask that keeps others from reading applies
};
constexpr Mode private_mode{owner_only, false};

Mode mode_of_users_file(int folder, const char* name) {
  struct stat old {};
  const bool is_there = ::fstatat(folder, name, &old, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(old.st_mode);
  if (!is_there) return {all_may_read, true};
  return {(old.st_mode & all_may_read) | owner_only, false};
}

// Sets the mode of a file that was just made, because the umask took bits away.
void set_mode(const File& file, const Mode& mode) {
  struct stat made {};
  const bool is_hidden = ::fstat(file.get(), &made) == 0 && (made.st_mode & all_may_read) != all_may_read;
  // It fails only on file systems that have no modes.
  [[maybe_unused]] const int done =
      ::fchmod(file.get(), mode.is_up_to_umask && is_hidden ? owner_only : mode.bits);
}

enum class Flush { no, to_disk };

// Returns false if it fails; errno holds the reason.
bool fill(File& file, const Mode& mode, std::string_view content, Flush flush) {
  set_mode(file, mode);
  if (!file.write_all(content)) return false;
  // Some file systems have nothing to flush.
  if (flush == Flush::to_disk && ::fsync(file.get()) != 0 && errno != EINVAL && errno != ENOTSUP)
    return false;
  return file.close();
}

std::error_code write_in(int folder, const char* name, const Mode& mode, std::string_view content,
                         Flush flush) {
  Temporary temporary = make_temporary(folder, mode.bits);
  if (!temporary.file.is_open()) return last_error();
  if (fill(temporary.file, mode, content, flush) &&
      ::renameat(folder, temporary.name.c_str(), folder, name) == 0)
    return {};
  const std::error_code failure = last_error();
  ::unlinkat(folder, temporary.name.c_str(), 0);
  return failure;
}

File folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  return File(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// Returns why other users can write to the folder; empty if they cannot.
std::string distrust_of_folder(const struct stat& status) {
  if (!is_trusted(status.st_uid, Owner::this_user)) return stranger(status.st_uid, Owner::this_user);
  const std::string writers = other_writers(status);
  return writers.empty() ? std::string{} : writers + " may write to it; chmod go-w";
}

// With a slash at the end, the system would follow a link.
fs::path without_last_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

bool File::write_all(std::string_view content) const {
  while (!content.empty()) {
    const ssize_t count = ::write(descriptor_, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool File::flush_to_disk() const {
  return ::fsync(descriptor_) == 0;
}

bool File::close() {
  return descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0;
}

FileContent read_file(const fs::path& path, const ReadRules& rules) {
  return read_in(AT_FDCWD, path.c_str(), rules);
}

std::error_code replace_file(const fs::path& path, std::string_view content) {
  const File folder = folder_of(path);
  if (!folder.is_open()) return last_error();
  const std::string name = path.filename().string();
  return write_in(folder.get(), name.c_str(), mode_of_users_file(folder.get(), name.c_str()), content,
                  Flush::to_disk);
}

std::error_code create_file(const fs::path& path, std::string_view content) {
  File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, all_may_read));
  if (!file.is_open()) return last_error();
  if (fill(file, {all_may_read, true}, content, Flush::to_disk)) return {};
  const std::error_code failure = last_error();
  ::unlink(path.c_str());
  return failure;
}

File open_to_write(const fs::path& path, Opened how) {
  switch (how) {
    case Opened::to_append:
      return File(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, all_may_read));
    case Opened::as_it_is:
      return File(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    case Opened::emptied:
      return File(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  }
  return {};
}

bool may_write(const fs::path& path) {
  return ::access(path.c_str(), W_OK) == 0;
}

fs::path make_temporary_folder(const std::string& prefix) {
  std::string pattern = (fs::temp_directory_path() / (prefix + "XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::system_error(last_error(), pattern);
  return pattern;
}

std::error_code make_folders(const fs::path& path, FolderReaders readers) {
  std::error_code failure;
  if (path.empty() || fs::is_directory(path, failure)) return {};
  if (path.has_relative_path()) failure = make_folders(path.parent_path(), readers);
  if (failure) return failure;
  if (::mkdir(path.c_str(), readers == FolderReaders::everyone ? 0755 : 0700) == 0) return {};
  const std::error_code reason = last_error();
  if (fs::is_directory(path, failure)) return {};  // another process made it
  return reason == std::errc::file_exists ? std::make_error_code(std::errc::not_a_directory) : reason;
}

PrivateFolder PrivateFolder::open(const fs::path& path) {
  File folder(::open(without_last_slash(path).c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!has_status(folder, status))
    return {File(),
            errno == ENOTDIR || errno == ELOOP ? "it is a link, or it is not a folder" : last_message()};
  std::string problem = distrust_of_folder(status);
  return {std::move(folder), std::move(problem)};
}

PrivateFolder PrivateFolder::make(const fs::path& path) {
  const std::error_code failure = make_folders(without_last_slash(path), FolderReaders::owner);
  PrivateFolder folder = open(path);
  if (failure && !folder) return {File(), "it cannot be created: " + failure.message()};
  return folder;
}

FileContent PrivateFolder::read(const std::string& name, std::size_t most_bytes) const {
  if (!problem_.empty()) return {{}, problem_};
  return read_in(folder_.get(), name.c_str(), {Owner::this_user, Links::refuse, most_bytes});
}

std::error_code PrivateFolder::write(const std::string& name, std::string_view content) const {
  if (!problem_.empty()) return std::make_error_code(std::errc::permission_denied);
  return write_in(folder_.get(), name.c_str(), private_mode, content, Flush::no);
}

void PrivateFolder::touch(const std::string& name) const {
  ::utimensat(folder_.get(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

}  // namespace clgemm
