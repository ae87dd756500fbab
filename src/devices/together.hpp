// What several devices do at the same time.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace clgemm {

// What one device does. It must not throw.
struct Job {
  std::string device;  // as the log names it
  std::function<void()> run;
};

// OpenCL has no time-out. So a call waits as long as a device does, and the log says for which one.
constexpr std::chrono::seconds patience{10};

// Runs all jobs at the same time, each in a thread of its own; if threads cannot be started, one job after
// the other. While jobs take longer than `interval`, the log (CLGEMM_LOG=info) says which devices are waited
// for. A job that is alone and of which nothing is said runs in this thread.
void run_together(const std::vector<Job>& jobs, std::chrono::milliseconds interval = patience);

}  // namespace clgemm
