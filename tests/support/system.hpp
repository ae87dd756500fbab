// What tests do with files and the process, and systems do in different ways.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace clgemm::test {

// Each of these returns false if the system cannot do it, or not for this user: then the test says so. On
// Windows, only the third can be done.
bool make_pipe_file(const std::filesystem::path& path);
bool make_link(const std::filesystem::path& to, const std::filesystem::path& path);
enum class Others { group, everybody };
bool let_write(Others who, const std::filesystem::path& path);
bool give_to_stranger(const std::filesystem::path& path);

// Whether a file's name may have quotes and control characters.
bool takes_any_name();

// Files whose end nobody ever reads.
std::vector<std::string> endless_files();

// What `body` writes to standard error.
std::string stderr_of(const std::function<void()>& body);

// Memory full of zeros, of which only what is touched takes any. Null if there is none.
void* untouched_memory(std::size_t bytes);
void release_memory(void* memory, std::size_t bytes);

// Runs a command by the system's shell; its exit status, or -1 if it crashed.
int status_of_command(const std::string& command);

}  // namespace clgemm::test
