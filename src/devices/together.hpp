// Runs jobs on several devices at the same time.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace clgemm {

// The job of one device. It must not throw.
struct Job {
  std::string device;  // its name in the log
  std::function<void()> run;
};

// OpenCL has no time-out, so a call waits as long as a device takes. After this time, the log names the
// device.
constexpr std::chrono::seconds patience{10};

// Runs all jobs at the same time, each in a thread of its own. If threads cannot be started, it runs one job
// after the other. While jobs take longer than `interval`, the log (CLGEMM_LOG=info) names the devices that
// the call waits for. A single job runs in this thread if the log is off.
void run_together(const std::vector<Job>& jobs, std::chrono::milliseconds interval = patience);

}  // namespace clgemm
