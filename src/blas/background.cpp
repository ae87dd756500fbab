#include "blas/background.hpp"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <system_error>
#include <utility>

namespace clgemm::blas {
namespace {

// Blocks all signals, because a new thread inherits the blocked signals.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

bool Background::start(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  if (is_running_ || has_ended_) return false;
  if (thread_.joinable()) thread_.join();  // its job is over
  try {
    const AllSignalsBlocked blocked;
    thread_ = std::thread([this, job = std::move(job)] {
      job();
      const std::lock_guard finishing(mutex_);
      is_running_ = false;
      finished_.notify_all();
    });
  } catch (const std::system_error&) {
    return false;
  }
  is_running_ = true;
  return true;
}

bool Background::is_running() {
  const std::lock_guard lock(mutex_);
  return is_running_;
}

void Background::wait(double most_seconds) {
  std::unique_lock lock(mutex_);
  finished_.wait_for(lock, std::chrono::duration<double>(most_seconds), [this] { return !is_running_; });
}

void Background::end(double most_seconds) {
  std::unique_lock lock(mutex_);
  has_ended_ = true;
  finished_.wait_for(lock, std::chrono::duration<double>(most_seconds), [this] { return !is_running_; });
  if (!thread_.joinable()) return;
  if (is_running_) return thread_.detach();
  std::thread last = std::move(thread_);
  lock.unlock();
  last.join();
}

}  // namespace clgemm::blas
