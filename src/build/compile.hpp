// Makes a config's program with the OpenCL compiler or from a binary, and checks what can be checked only
// after that.
#pragma once

#include <string>
#include <vector>

#include "base/opencl.hpp"
#include "build/turn.hpp"
#include "kernel/kernel_arguments.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm {

// Builds a program for a device, and returns OpenCL's status. OpenCL-CLHPP would also read the compiler's log
// after a build that succeeded, and fail if it cannot.
cl_int build_program(const cl::Program& program, const std::string& options, const cl::Device& device);

// Throws an Error(build_failed) with the compiler's log. On NVIDIA the program is compiled for the PTX target
// of the manifest, and waits for its turn, which ends when the source is compiled; null: it does not wait.
cl::Program compile(const KernelConfig& config, const cl::Context& context, const cl::Device& device,
                    Turn* turn);

// Returns whether compile() changes the PTX of this config, which the driver then assembles again.
bool changes_ptx(const KernelConfig& config);

// Returns the program of a binary. It is null if the implementation does not accept the binary, or if the
// binary is empty.
cl::Program load(const std::vector<unsigned char>& binary, const KernelConfig& config,
                 const cl::Context& context, const cl::Device& device);

// Returns the program's binary for one of its devices; empty if there is none.
std::vector<unsigned char> binary_of(const cl::Program& program, const cl::Device& device);

struct CheckedKernel {
  cl::Kernel kernel;
  Passing passing;
};

// Returns the kernel of the contract, and how it takes its numbers. Throws Error(invalid_kernel_file) if the
// source has no such function, or if its arguments or its work-group size differ. Throws
// Error(device_limit_exceeded) if the built kernel allows fewer work-items than its work-group has, or uses
// more local memory than there is.
CheckedKernel checked_kernel(const KernelConfig& config, const cl::Program& program,
                             const cl::Device& device);

// Returns "the kernel 'wpt' (built-in/wpt.cl) with '-DTS=32 ...'".
std::string title_of(const KernelConfig& config);

}  // namespace clgemm
