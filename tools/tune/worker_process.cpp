#include "tune/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "common/interrupt.hpp"

namespace clgemm::tune {
namespace {

constexpr const char* this_program = "/proc/self/exe";
using Clock = std::chrono::steady_clock;

constexpr int patience = 100;        // milliseconds for a worker to end by itself
constexpr int look_around_ms = 200;  // so often Ctrl-C and the clock are looked at

void close_end(int& end) {
  if (end >= 0) close(end);
  end = -1;
}

}  // namespace

WorkerProcess::~WorkerProcess() {
  stop();
}

void WorkerProcess::start() {
  std::vector<std::string> words = {"clgemm-tune"};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  std::array<int, 2> down = {};
  std::array<int, 2> up = {};
  if (pipe2(down.data(), O_CLOEXEC) != 0 || pipe2(up.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, down[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, up[1], STDOUT_FILENO);
  // What compilers print of bad configs, and how LLVM dies, is of no interest here.
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int problem = posix_spawn(&child_, this_program, &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(down[0]);
  close(up[1]);
  to_child_ = down[1];
  from_child_ = up[0];
  read_.clear();
  if (problem == 0) return;
  child_ = -1;
  stop();
  throw std::runtime_error(fmt::format("no worker process: {}", std::strerror(problem)));
}

std::string WorkerProcess::stop() {
  close_end(to_child_);
  close_end(from_child_);
  if (child_ < 0) return {};
  // One that closed its end is about to end by itself: how, is worth knowing.
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < patience && ended == 0; ++i) {
    ended = waitpid(child_, &status, WNOHANG);
    if (ended == 0) usleep(1000);
  }
  if (ended != child_) {
    kill(child_, SIGKILL);
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) continue;
  }
  child_ = -1;
  if (WIFSIGNALED(status)) return fmt::format("ended by signal {}", WTERMSIG(status));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

WorkerProcess::Answer WorkerProcess::ask(const std::string& line, double limit_s) {
  if (child_ < 0) start();
  const std::string text = line + "\n";
  const ssize_t written = write(to_child_, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) return {std::nullopt, stop(), false};
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_s));
  for (;;) {
    if (const auto newline = read_.find('\n'); newline != std::string::npos) {
      Answer answer{read_.substr(0, newline), {}, false};
      read_.erase(0, newline + 1);
      return answer;
    }
    pollfd ready = {from_child_, POLLIN, 0};
    const int count = poll(&ready, 1, look_around_ms);
    if (bench::interrupted()) {
      stop();
      return {std::nullopt, "interrupted", true};
    }
    if (count <= 0 && Clock::now() < end) continue;
    if (count <= 0) {
      stop();
      return {std::nullopt, fmt::format("no result within {} s", limit_s), false};
    }
    std::array<char, 4096> piece = {};
    const ssize_t bytes = read(from_child_, piece.data(), piece.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) {
      return {std::nullopt, "the worker " + stop(), false};
    }
    read_.append(piece.data(), static_cast<std::size_t>(bytes));
  }
}

}  // namespace clgemm::tune
