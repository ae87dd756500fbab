// Operations on files and processes that differ between systems.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace clgemm::test {

// Each of these returns false if the system or this user cannot do it, and the test reports that. On Windows,
// only the third one works.
bool make_pipe_file(const std::filesystem::path& path);
bool make_link(const std::filesystem::path& to, const std::filesystem::path& path);
enum class Others { group, everybody };
bool let_write(Others who, const std::filesystem::path& path);
bool give_to_stranger(const std::filesystem::path& path);

// Returns true if a file's name may have quotes and control characters.
bool takes_any_name();

// Returns files without an end.
std::vector<std::string> endless_files();

// Returns what `body` writes to standard error.
std::string stderr_of(const std::function<void()>& body);

// Returns memory full of zeros that only uses pages when they are touched, or null if there is none.
void* untouched_memory(std::size_t bytes);
void release_memory(void* memory, std::size_t bytes);

// Runs a command in the system's shell. Returns its exit status, or -1 if it crashed.
int status_of_command(const std::string& command);

}  // namespace clgemm::test
