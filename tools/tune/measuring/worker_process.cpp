#include "tune/measuring/worker_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <mutex>
#include <thread>

#include "common/interrupt.hpp"
#include "tune/searching/measured.hpp"

namespace clgemm::tune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int patience_ms = 100;     // time for a worker to end by itself
constexpr int look_around_ms = 200;  // the interval for checks of Ctrl-C and the clock

}  // namespace

WorkerProcess::~WorkerProcess() {
  stop();
}

void WorkerProcess::start() {
  // Messages of compilers about bad configs, and of LLVM when it crashes, are dropped.
  child_.emplace(arguments_, std::map<std::string, std::string>{}, Complaints::dropped);
  read_.clear();
}

std::string WorkerProcess::stop() {
  if (!child_) return {};
  // A worker that has closed its end will end by itself, and the reason is useful.
  const ProcessEnd end = child_->stop(patience_ms);
  child_.reset();
  return to_string(end);
}

WorkerProcess::Answer WorkerProcess::ask(const std::string& line, double limit_s) {
  if (!child_) start();
  if (!child_->write(line + "\n")) return {std::nullopt, stop(), false};
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_s));
  for (;;) {
    if (const auto newline = read_.find('\n'); newline != std::string::npos) {
      Answer answer{read_.substr(0, newline), {}, false};
      read_.erase(0, newline + 1);
      return answer;
    }
    const ChildProcess::Read got = child_->read(read_, look_around_ms);
    if (bench::interrupted()) {
      stop();
      return {std::nullopt, "interrupted", true};
    }
    if (got == ChildProcess::Read::end) return {std::nullopt, "the worker " + stop(), false};
    if (got == ChildProcess::Read::nothing_yet && Clock::now() >= end) {
      stop();
      return {std::nullopt, fmt::format("{}{} s", Outcome::lateness, limit_s), false};
    }
  }
}

void ask_in_processes(const std::vector<std::string>& arguments, const std::vector<std::string>& questions,
                      double limit_s,
                      const std::function<bool(std::size_t, const WorkerProcess::Answer&)>& answered) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto ask = [&] {
    WorkerProcess worker(arguments);
    for (std::size_t i = next++; i < questions.size() && !bench::interrupted(); i = next++) {
      const WorkerProcess::Answer answer = worker.ask(questions[i], limit_s);
      if (answer.interrupted) return;
      const std::lock_guard lock(mutex);
      if (!answered(i, answer)) next = questions.size();
    }
  };
  const auto work = [&] {
    try {
      ask();
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = questions.size();
    }
  };
  constexpr std::size_t most_processes = 16;  // each has its own context and memory on the device
  const std::size_t cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most_processes);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < std::min(questions.size(), cores); ++i) threads.emplace_back(work);
  threads.clear();
  if (failure) std::rethrow_exception(failure);
}

AnsweringProcess::AnsweringProcess() {
  end_with_parent();             // without the parent, no more questions would come
  std::signal(SIGINT, SIG_IGN);  // the terminal sends Ctrl-C to both, and the asking process decides
  answers_ = take_standard_output();
}

void AnsweringProcess::run(const std::function<std::string(const std::string&)>& answer) {
  for (std::string line; std::getline(std::cin, line);) {
    if (!answers_.write_all(answer(line) + "\n")) return;
  }
}

}  // namespace clgemm::tune
