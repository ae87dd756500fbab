#include "common/child_process.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace clgemm::bench {
namespace {

constexpr const char* this_program = "/proc/self/exe";

// This process's environment, with these variables instead of its own of the same names.
std::vector<std::string> changed_environment(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (changes.count(text.substr(0, text.find('='))) == 0) result.push_back(text);
  }
  for (const auto& [name, value] : changes) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

// As exec wants them; the strings must outlive the result.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 256> piece = {};
  for (;;) {
    const ssize_t count = read(file, piece.data(), piece.size());
    if (count > 0) text.append(piece.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

}  // namespace

std::string run_self(const std::vector<std::string>& arguments,
                     const std::map<std::string, std::string>& environment) {
  std::vector<std::string> words = {"clgemm-bench"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = changed_environment(environment);
  std::array<int, 2> ends = {};
  if (pipe(ends.data()) != 0) throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  pid_t child = 0;
  const int problem = posix_spawn(&child, this_program, &actions, nullptr, pointers_to(words).data(),
                                  pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text = problem == 0 ? read_all(ends[0]) : "";
  close(ends[0]);
  if (problem != 0) throw std::runtime_error(fmt::format("no child process: {}", std::strerror(problem)));
  const int status = wait_for(child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(fmt::format("the child process failed: status {}", status));
  }
  return text;
}

}  // namespace clgemm::bench
