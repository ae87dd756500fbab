// Whether a kernel keeps in memory what should be in registers. Compilers say so only after the build, and
// each in its own way; a loop that goes through memory for its sums takes several times as long.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/device.hpp"
#include "base/opencl.hpp"

namespace clgemm {

// Bytes of memory for what does not fit a GPU's registers, arrays included: 0 if there are none, on other
// devices, and if the implementation does not tell. Of a work-item, on Intel's GPUs of a thread.
std::size_t spilled_bytes(const cl::Program& program, const cl::Kernel& kernel, const cl::Device& device,
                          const Device& info);

// The largest stack frame or spill of a function that NVIDIA's assembler reports in a build log.
std::size_t spilled_by_log(std::string_view log);

}  // namespace clgemm
