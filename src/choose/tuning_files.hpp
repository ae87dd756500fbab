// Where tuning data is found: what CLGEMM_TUNING names, the user's folder, what ships in the library. Nothing
// here fails loudly: a file that cannot be used is logged and ignored.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "choose/tuning.hpp"
#include "kernel/kernel_source.hpp"

namespace clgemm {

// The files of kernels/tuned/ as they stand in the library. The build writes the list.
std::span<const EmbeddedFile> embedded_tuning();

// CLGEMM_TUNING is a file or a folder of .json files that comes first, then the .json files of the user's
// folder, by name, then the embedded ones. CLGEMM_TUNING=0 turns all but these off. Files of other users, or
// that others may write to, are not read, and in a setuid process none at all but the embedded ones.
Tuning tuning_from_environment();

// $XDG_CONFIG_HOME/clgemm/tuning, else ~/.config/clgemm/tuning; empty where neither is set.
std::filesystem::path user_tuning_folder();

}  // namespace clgemm
