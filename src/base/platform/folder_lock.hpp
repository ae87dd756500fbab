// Lets one process at a time use a folder.
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

  // Returns `held` also if the file system has no locks.
  enum class State { held, of_another_process, folder_is_gone };
  State lock(const std::filesystem::path& folder);

  // Removes the folder of this lock and all its content, as far as possible.
  void remove_folder(const std::filesystem::path& folder);

 private:
  File file_;
};

}  // namespace clgemm
