#include "tune/worker_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <iostream>
#include <mutex>
#include <thread>

#include "common/interrupt.hpp"

namespace clgemm::tune {
namespace {

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
  // What compilers print of bad configs, and how LLVM dies, is of no interest here.
  child_ = bench::start_self(arguments_, {}, bench::Complaints::dropped);
  read_.clear();
}

std::string WorkerProcess::stop() {
  close_end(child_.to);
  close_end(child_.from);
  if (child_.process < 0) return {};
  // One that closed its end is about to end by itself: how, is worth knowing.
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < patience && ended == 0; ++i) {
    ended = waitpid(child_.process, &status, WNOHANG);
    if (ended == 0) usleep(1000);
  }
  if (ended != child_.process) {
    kill(child_.process, SIGKILL);
    status = bench::wait_for(child_);
  }
  child_.process = -1;
  if (WIFSIGNALED(status)) return fmt::format("ended by signal {}", WTERMSIG(status));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

WorkerProcess::Answer WorkerProcess::ask(const std::string& line, double limit_s) {
  if (child_.process < 0) start();
  const std::string text = line + "\n";
  const ssize_t written = write(child_.to, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) return {std::nullopt, stop(), false};
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_s));
  for (;;) {
    if (const auto newline = read_.find('\n'); newline != std::string::npos) {
      Answer answer{read_.substr(0, newline), {}, false};
      read_.erase(0, newline + 1);
      return answer;
    }
    pollfd ready = {child_.from, POLLIN, 0};
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
    const ssize_t bytes = read(child_.from, piece.data(), piece.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) {
      return {std::nullopt, "the worker " + stop(), false};
    }
    read_.append(piece.data(), static_cast<std::size_t>(bytes));
  }
}

void ask_in_processes(const std::vector<std::string>& arguments, const std::vector<std::string>& questions,
                      double limit_s,
                      const std::function<bool(std::size_t, const WorkerProcess::Answer&)>& answered) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  const auto work = [&] {
    WorkerProcess worker(arguments);
    for (std::size_t i = next++; i < questions.size() && !bench::interrupted(); i = next++) {
      const WorkerProcess::Answer answer = worker.ask(questions[i], limit_s);
      if (answer.interrupted) return;
      const std::lock_guard lock(mutex);
      if (!answered(i, answer)) next = questions.size();
    }
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < std::min(questions.size(), cores); ++i) threads.emplace_back(work);
}

AnsweringProcess::AnsweringProcess() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would ask any more
  std::signal(SIGINT, SIG_IGN);      // the terminal sends Ctrl-C to both; the asking process decides
  answers_ = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

void AnsweringProcess::run(const std::function<std::string(const std::string&)>& answer) {
  for (std::string line; std::getline(std::cin, line);) {
    const std::string text = answer(line) + "\n";
    if (write(answers_, text.data(), text.size()) < 0) return;
  }
}

}  // namespace clgemm::tune
