// Folders for files of this user's, which the desktop's variables XDG_... do not name.
#pragma once

#include <filesystem>

namespace clgemm {

// The variable by which both are found: HOME, or LOCALAPPDATA on Windows.
extern const char* const home_variable;

// ~/.cache and ~/.config; on Windows %LOCALAPPDATA% both times. Empty if the variable is not set.
std::filesystem::path home_of_caches();
std::filesystem::path home_of_settings();

}  // namespace clgemm
