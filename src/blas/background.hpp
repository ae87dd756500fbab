// Does work that the program does not wait for: opening the device and compiling. It runs one job at a time,
// on a thread of its own.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace clgemm::blas {

class Background {
 public:
  // Starts the job, which must not throw. Returns false if another job is still running, if end() was called,
  // or if no thread can be started. Signals of the process are not delivered to the thread.
  bool start(std::function<void()> job);

  bool is_running();

  // Waits until no job is running, for at most this time.
  void wait(double most_seconds);

  // Starts no job after this. Waits for the running job, for at most this time. A driver that is being loaded
  // or compiles while the process destroys its static objects may crash, so this is called before that.
  void end(double most_seconds);

 private:
  std::mutex mutex_;  // for the members below
  std::condition_variable finished_;
  std::thread thread_;
  bool is_running_ = false;
  bool has_ended_ = false;
};

}  // namespace clgemm::blas
