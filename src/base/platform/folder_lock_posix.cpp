#include "base/platform/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace clgemm {

FolderLock::State FolderLock::lock(const std::filesystem::path& folder) {
  File opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open()) return errno == ENOENT ? State::folder_is_gone : State::held;
  const bool has_lock = ::flock(opened.get(), LOCK_EX | LOCK_NB) == 0;
  const bool is_taken = !has_lock && errno == EWOULDBLOCK;
  struct stat held {};
  struct stat named {};
  const bool is_there = ::fstat(opened.get(), &held) == 0 && ::stat(folder.c_str(), &named) == 0 &&
                        held.st_dev == named.st_dev && held.st_ino == named.st_ino;
  if (has_lock && !is_there) return State::folder_is_gone;
  if (is_taken) return is_there ? State::of_another_process : State::folder_is_gone;
  file_ = std::move(opened);
  return State::held;
}

void FolderLock::remove_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  file_.close();
}

}  // namespace clgemm
