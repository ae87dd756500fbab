#include "base/platform/folder_lock.hpp"

#include <fcntl.h>
#include <io.h>

#include "base/platform/windows_api.hpp"

namespace clgemm {

// Makes a file in the folder that no other process can open. It is removed when its handle is closed.
FolderLock::State FolderLock::lock(const std::filesystem::path& folder) {
  Handle opened(::CreateFileW((folder / ".lock").c_str(), GENERIC_WRITE, 0, nullptr, OPEN_ALWAYS,
                              FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE, nullptr));
  if (opened) {
    file_ = File(::_open_osfhandle(reinterpret_cast<std::intptr_t>(opened.get()), _O_NOINHERIT));
    opened.release();
    return State::held;
  }
  switch (::GetLastError()) {
    case ERROR_PATH_NOT_FOUND:
      return State::folder_is_gone;
    case ERROR_SHARING_VIOLATION:
    case ERROR_ACCESS_DENIED:  // it is being removed
      return State::of_another_process;
    default:
      return State::held;
  }
}

void FolderLock::remove_folder(const std::filesystem::path& folder) {
  file_.close();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

}  // namespace clgemm
