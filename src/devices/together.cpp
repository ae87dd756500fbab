#include "devices/together.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/log.hpp"

namespace clgemm {
namespace {

// Keeps track of the jobs that are not done.
class Running {
 public:
  explicit Running(const std::vector<Job>& jobs) : jobs_(jobs), is_done_(jobs.size(), false) {}

  void run(std::size_t i) {
    jobs_[i].run();
    {
      const std::lock_guard lock(mutex_);
      is_done_[i] = true;
    }
    changed_.notify_all();
  }

  void wait(std::chrono::milliseconds interval) {
    const auto begin = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, interval, [this] { return names_of_rest().empty(); })) {
      const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
      log(LogLevel::info, fmt::format("waiting for {} for {:.3g} s", names_of_rest(), waited.count()));
    }
  }

 private:
  std::string names_of_rest() const {
    std::string result;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (!is_done_[i]) result += (result.empty() ? "" : ", ") + jobs_[i].device;
    }
    return result;
  }

  const std::vector<Job>& jobs_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> is_done_;
};

}  // namespace

void run_together(const std::vector<Job>& jobs, std::chrono::milliseconds interval) {
  if (jobs.size() == 1 && !logs(LogLevel::info)) return jobs.front().run();
  Running running(jobs);
  std::vector<std::jthread> threads;  // joined by their destructors, in case of an error, too
  threads.reserve(jobs.size());
  try {
    while (threads.size() < jobs.size())
      threads.emplace_back([&running, i = threads.size()] { running.run(i); });
  } catch (const std::system_error&) {
    for (std::size_t i = threads.size(); i < jobs.size(); ++i) running.run(i);
  }
  running.wait(interval);
}

}  // namespace clgemm
