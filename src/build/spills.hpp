// Finds out whether a kernel keeps values in memory that should be in registers. Compilers report it only
// after the build, and each in its own way. A loop with its sums in memory takes several times as long.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/device.hpp"
#include "base/opencl.hpp"

namespace clgemm {

// Returns the bytes of memory for values that do not fit into a GPU's registers, including arrays. Returns 0
// if there are none, on other devices, and if the implementation does not report it. The bytes are for a
// work-item; on Intel's GPUs they are for a thread.
std::size_t spilled_bytes(const cl::Program& program, const cl::Kernel& kernel, const cl::Device& device,
                          const Device& info);

// Returns the largest stack frame or spill of a function that NVIDIA's assembler reports in a build log.
std::size_t spilled_by_log(std::string_view log);

}  // namespace clgemm
