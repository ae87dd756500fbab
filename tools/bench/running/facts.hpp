// The facts of a run that begins now.
#pragma once

#include "base/device.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// What nvidia-smi tells of the clocks and the power state of the GPUs of this name; empty if it is not there.
struct GpuState {
  std::string clocks;  // "SM 1980 MHz of 1980 MHz, memory 2619 MHz"
  std::string power;   // "P0, 120.32 W of 700.00 W"
};
GpuState gpu_state(const std::string& device);

Facts facts_now(const cl::Device& device);

}  // namespace clgemm::bench
