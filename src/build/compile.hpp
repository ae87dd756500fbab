// A config's program by the OpenCL compiler or from a binary, and what can be said of its kernel only then.
#pragma once

#include <vector>

#include "base/opencl.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm {

// Throws Error(build_failed) with the compiler's log. On NVIDIA the program is taken to the PTX target of the
// manifest.
cl::Program compile(const KernelConfig& config, const cl::Context& context, const cl::Device& device);

// The program of a binary; a null one where the implementation does not take it, or the binary is empty.
cl::Program load(const std::vector<unsigned char>& binary, const KernelConfig& config,
                 const cl::Context& context, const cl::Device& device);

// The program's binary for one of its devices; empty where there is none.
std::vector<unsigned char> binary_of(const cl::Program& program, const cl::Device& device);

// The kernel of the contract. Throws Error: invalid_kernel_file where the source has no such function, with
// other arguments or another work-group size; device_limit_exceeded where the built kernel allows fewer
// work-items than its work-group has, or takes more local memory than there is.
cl::Kernel checked_kernel(const KernelConfig& config, const cl::Program& program, const cl::Device& device);

// "the kernel 'wpt' (built-in/wpt.cl) with '-DTS=32 ...'"
std::string title_of(const KernelConfig& config);

}  // namespace clgemm
