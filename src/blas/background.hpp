// Work that the program does not wait for: opening the device and compiling. One job at a time, on a thread
// of its own.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace clgemm::blas {

class Background {
 public:
  // Starts the job, which must not throw. Returns false if another one is still running, the end has begun,
  // or there is no thread to be had. Signals of the process are not delivered to the thread.
  bool start(std::function<void()> job);

  bool is_running();

  // Waits until no job is running, but not longer than this.
  void wait(double most_seconds);

  // No job starts after this. Waits for the running one, but not longer than this. A driver that is loaded or
  // compiles while the process destroys its static objects may crash, so this is called before that.
  void end(double most_seconds);

 private:
  std::mutex mutex_;  // of what follows
  std::condition_variable finished_;
  std::thread thread_;
  bool is_running_ = false;
  bool has_ended_ = false;
};

}  // namespace clgemm::blas
