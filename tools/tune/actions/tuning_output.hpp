// The file that a run writes: the tuning data of one device. A regular file is written completely or not at
// all.
#pragma once

#include <filesystem>
#include <string>

#include "choose/tuning.hpp"

namespace clgemm::tune {

// Returns "~/.config/clgemm/tuning/pthread_intel_xeon.json". Throws std::runtime_error if there is no such
// folder.
std::filesystem::path default_output(const Device& device);

// Returns the file's data for this device, or nothing if there is no file, or if it is for another device.
// Throws std::runtime_error if the file is not tuning data, because we must not overwrite it.
TuningFile read_output(const std::filesystem::path& path, const Device& device);

// Reads a file that exists. Throws std::runtime_error.
TuningFile read_file(const std::filesystem::path& path);

// Must be called before a run whose results would be lost otherwise. Throws std::runtime_error if the file
// cannot be written, and UsageError if its folder is missing. Makes only the folder of the user's tuning
// data. An empty path means no file.
void demand_writable(const std::filesystem::path& path);

// Throws Error if the data could not be read again. A link stays, and its target is written. A device or a
// pipe is written, too. Throws like demand_writable(), and leaves nothing behind.
void write_output(const std::filesystem::path& path, const TuningFile& file);

// Replaces the entry of the same shape.
void replace_entry(TuningFile& file, const TunedEntry& entry);

}  // namespace clgemm::tune
