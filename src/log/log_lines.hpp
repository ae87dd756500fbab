// Writes the log lines of CLGEMM_LOG about a context and its calls. `info` shows each decision when it is
// made; `debug` shows a line for each call.
#pragma once

#include <string>

#include "base/device.hpp"
#include "call/gemm.hpp"
#include "choose/choice.hpp"
#include "choose/tuning.hpp"
#include "launch/enqueue_gemm.hpp"

namespace clgemm {

// Logs variables of the environment with invalid values, once a process.
void log_variables();

// Logs which file of tuning data is used for the device, and why others are not.
void log_tuning(const Tuning& tuning, const SpeedTable& table, const Device& device);

// Logs a new choice. The reason for giving up a kernel is logged when it is found.
void log_choice(const Problem& problem, const Choice& choice);

// Logs a call that was enqueued with this config: the GEMM, the device, the kernel, and the time on the
// device if the queue records times. A line with the time comes when the call is complete, from a thread of
// the driver.
void log_call(const DeviceGemm& gemm, const Candidate& by, const std::string& device,
              const Progress& progress);

// Logs a complete call on host matrices with the seconds that the caller waited. Its parts have their own
// lines.
void log_host_call(const Problem& problem, const std::string& device, double seconds);

}  // namespace clgemm
