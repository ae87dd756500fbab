// Finds folders for this user's files if the desktop's variables XDG_... are not set.
#pragma once

#include <filesystem>

namespace clgemm {

// The variable from which both folders are found: HOME, or LOCALAPPDATA on Windows.
extern const char* const home_variable;

// Return ~/.cache and ~/.config; on Windows both return %LOCALAPPDATA%. Empty if the variable is not set.
std::filesystem::path home_of_caches();
std::filesystem::path home_of_settings();

}  // namespace clgemm
