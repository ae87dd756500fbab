// The file that a run writes: what is known of one device. Written whole or not at all, where it is a file.
#pragma once

#include <filesystem>
#include <string>

#include "choose/tuning.hpp"

namespace clgemm::tune {

// "~/.config/clgemm/tuning/pthread_intel_xeon.json". Throws std::runtime_error where there is no such folder.
std::filesystem::path default_output(const Device& device);

// What the file has for this device; nothing where there is no file, or one of another device. Throws
// std::runtime_error for a file that is no tuning data: it is not ours to overwrite.
TuningFile read_output(const std::filesystem::path& path, const Device& device);

// A file that is there. Throws std::runtime_error.
TuningFile read_file(const std::filesystem::path& path);

// Before a run whose results would be lost: throws std::runtime_error if the file cannot be written, and
// UsageError if its folder is missing. Makes the folder of the user's tuning data alone; empty stands for no
// file.
void demand_writable(const std::filesystem::path& path);

// Only what can be read again: Error if it cannot. A link stays, and what it leads to is written; so does a
// device or a pipe. Throws as demand_writable() does, and leaves nothing behind.
void write_output(const std::filesystem::path& path, const TuningFile& file);

// Puts the entry in the place of the one of the same shape.
void replace_entry(TuningFile& file, const TunedEntry& entry);

}  // namespace clgemm::tune
