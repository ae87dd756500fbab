// Whether commands that have ended did what they were asked to do.
#pragma once

#include <vector>

#include "base/opencl.hpp"

namespace clgemm {

// Waits for the commands and throws cl::Error if one of them has failed. Each is asked, because a driver may
// run the commands behind a failed one all the same and report success for those (PoCL's `basic` does).
inline void check_finished(const std::vector<cl::Event>& commands) {
  const auto status_of = [](const cl::Event& command) {
    return command.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
  };
  for (const cl::Event& command : commands) {
    cl_int status = status_of(command);
    if (status > CL_COMPLETE) {
      command.wait();
      status = status_of(command);
    }
    if (status < 0) throw cl::Error(status, "a command that the device had taken");
  }
}

}  // namespace clgemm
