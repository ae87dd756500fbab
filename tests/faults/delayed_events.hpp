// Events that complete some milliseconds from now, for commands to wait for. They are a part of the fault
// layer.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace clgemm::test {

// An object is never destroyed, because its thread runs to the end of the process.
class DelayedEvents {
 public:
  using Clock = std::chrono::steady_clock;

  // `complete` is called once, at that time.
  void add(Clock::time_point when, std::function<void()> complete) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(when, std::move(complete));
    if (!is_running_) std::thread([this] { run(); }).detach();
    is_running_ = true;
    changed_.notify_all();
  }

  void wait_for_all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.empty(); });
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !waiting_.empty(); });
      const auto [when, complete] = waiting_.front();  // all events have the same delay
      lock.unlock();
      std::this_thread::sleep_until(when);
      complete();
      lock.lock();
      waiting_.pop_front();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Clock::time_point, std::function<void()>>> waiting_;
  bool is_running_ = false;
};

}  // namespace clgemm::test
