// Finds tuning data: in the place that CLGEMM_TUNING names, in the user's folder, and in the library itself.
// A file that cannot be used is logged and ignored; it is not an error.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "choose/tuning.hpp"
#include "kernel/kernel_source.hpp"

namespace clgemm {

// Returns the files of kernels/tuned/, which are part of the library. The build writes the list.
std::span<const EmbeddedFile> embedded_tuning();

// CLGEMM_TUNING is a file or a folder of .json files, which come first. Then come the .json files of the
// user's folder by name, then the embedded files. CLGEMM_TUNING=0 turns all but the embedded files off. Files
// of other users, or files that other users may write to, are not read. A setuid process reads only the
// embedded files.
Tuning tuning_from_environment();

// Returns $XDG_CONFIG_HOME/clgemm/tuning, or else ~/.config/clgemm/tuning; empty if neither variable is set.
std::filesystem::path user_tuning_folder();

}  // namespace clgemm
