// Checks whether commands succeeded, and whether a device still uses the caller's memory.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "base/opencl.hpp"

namespace clgemm {

// Waits for the commands and throws cl::Error if one of them has failed. It checks every command, because a
// driver may run the commands after a failed one and report success for them (PoCL's `basic` does).
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
    if (status < 0) throw cl::Error(status, "a command that was already running");
  }
}

// Waits until the queue is empty. It tries several ways, because each of them may fail. Returns false if all
// fail.
bool settle(const cl::CommandQueue& queue) noexcept;

// Thrown if a call has failed and it is not possible to wait for the device, which may still read A and B and
// write C. Nobody else can complete C then.
class MatricesInUse final : public Error {
 public:
  explicit MatricesInUse(const Error& cause);
};

// Runs a body whose commands on the queue use the caller's matrices. If it throws, the device no longer uses
// the matrices, unless the error is MatricesInUse.
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
