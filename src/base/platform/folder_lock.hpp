// A folder that one process at a time may use.
#pragma once

#include <filesystem>

#include "base/files.hpp"

namespace clgemm {

class FolderLock {
 public:
  FolderLock() = default;
  ~FolderLock() = default;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  // `held` is said, too, if the file system has no locks.
  enum class State { held, of_another_process, folder_is_gone };
  State lock(const std::filesystem::path& folder);

  // Removes a folder that this lock is for, and all that lies in it, as far as that is possible.
  void remove_folder(const std::filesystem::path& folder);

 private:
  File file_;
};

}  // namespace clgemm
