// Whether commands did what they were asked to do, and whether a device still uses the caller's memory.
#pragma once

#include <vector>

#include "base/error.hpp"
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

// Waits until the queue is empty, in one way after the other because each of them may fail. Returns false if
// all of them do.
bool settle(const cl::CommandQueue& queue) noexcept;

// Thrown if a call has failed and the device cannot be waited for: it may still read A and B and write C.
// Nobody else can complete C then.
class MatricesInUse final : public Error {
 public:
  explicit MatricesInUse(const Error& cause);
};

// Runs a body whose commands on the queue use the caller's matrices. When this throws, the device no longer
// uses them, unless the error is MatricesInUse.
template <class Body>
void use_matrices(const cl::CommandQueue& queue, Body&& body) {
  try {
    at_boundary(body);
  } catch (const Error& error) {
    if (!settle(queue)) throw MatricesInUse(error);
    throw;
  }
}

}  // namespace clgemm
