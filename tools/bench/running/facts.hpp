// Facts about the machine and the moment of a run.
#pragma once

#include "base/device.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// The clocks and the power state of the GPUs of this name, as nvidia-smi reports them. Empty if nvidia-smi is
// not installed.
struct GpuState {
  std::string clocks;  // "SM 1980 MHz of 1980 MHz, memory 2619 MHz"
  std::string power;   // "P0, 120.32 W of 700.00 W"
};
GpuState gpu_state(const std::string& device);

Facts facts_now(const cl::Device& device);

}  // namespace clgemm::bench
