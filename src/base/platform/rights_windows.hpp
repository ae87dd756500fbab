// Tells from the security descriptor who owns a file or folder and who may change it.
#pragma once

#include <string>

#include "base/files.hpp"
#include "base/platform/windows_api.hpp"

namespace clgemm {

// Returns why an open file or folder is not trusted: "it belongs to PC\anna, not to this user", "Everyone may
// write to it". Empty if it is trusted. The rights of administrators do not matter, because they can change
// every file anyway.
std::string distrust_of(HANDLE opened, Owner wanted);

// Makes a folder that only this user, the administrators and the system may open, or returns why not.
std::error_code make_own_folder(const std::filesystem::path& path);

}  // namespace clgemm
