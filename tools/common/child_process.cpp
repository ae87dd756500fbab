#include "common/child_process.hpp"

#include <fcntl.h>
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

// Its ends are closed where another child begins.
std::array<int, 2> make_pipe() {
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  return ends;
}

}  // namespace

Child start_self(const std::vector<std::string>& arguments,
                 const std::map<std::string, std::string>& environment, Complaints complaints) {
  std::vector<std::string> words = {program_invocation_name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = changed_environment(environment);
  const auto down = make_pipe();
  const auto up = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, down[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, up[1], STDOUT_FILENO);
  if (complaints == Complaints::dropped) {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  Child child{-1, down[1], up[0]};
  const int problem = posix_spawn(&child.process, this_program, &actions, nullptr, pointers_to(words).data(),
                                  pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(down[0]);
  close(up[1]);
  if (problem == 0) return child;
  close(child.to);
  close(child.from);
  throw std::runtime_error(fmt::format("no child process: {}", std::strerror(problem)));
}

int wait_for(const Child& child) {
  int status = 0;
  while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

Ended run_self_to_end(const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& environment, Complaints complaints) {
  const Child child = start_self(arguments, environment, complaints);
  close(child.to);
  std::string text = read_all(child.from);
  close(child.from);
  return {wait_for(child), std::move(text)};
}

std::string run_self(const std::vector<std::string>& arguments,
                     const std::map<std::string, std::string>& environment) {
  Ended ended = run_self_to_end(arguments, environment, Complaints::shown);
  if (!WIFEXITED(ended.status) || WEXITSTATUS(ended.status) != 0) {
    throw std::runtime_error(fmt::format("the child process failed: status {}", ended.status));
  }
  return std::move(ended.out);
}

}  // namespace clgemm::bench
