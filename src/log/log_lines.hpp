// What CLGEMM_LOG shows of a context and its calls: at `info` what decides, a line when it is decided; at
// `debug` a line a call.
#pragma once

#include <string>

#include "base/device.hpp"
#include "call/gemm.hpp"
#include "choose/choice.hpp"
#include "choose/tuning.hpp"
#include "launch/multiply.hpp"

namespace clgemm {

// Variables of the environment whose values mean nothing; once a process.
void log_variables();

// Which file of tuning data serves the device, and why others do not.
void log_tuning(const Tuning& tuning, const SpeedTable& table, const Device& device);

// A new choice. Why kernels were given up is said when that is found out.
void log_choice(const Problem& problem, const Choice& choice);

// A call that was enqueued with this config: what, device, kernel, and how long the device took where the
// queue keeps times. Such a line comes when the call is complete, from a thread of the driver.
void log_call(const DeviceGemm& gemm, const Candidate& by, const std::string& device,
              const Progress& progress);

// A call on host matrices that is complete, with the seconds that the caller waited. Its parts have lines of
// their own.
void log_host_call(const Problem& problem, const std::string& device, double seconds);

}  // namespace clgemm
