// Which calls are worth a device: the speed model's word and what copies take, against the speed of the CPU
// BLAS. What the model cannot know is measured once, and kept.
#pragma once

#include <functional>
#include <string>

#include "blas/call.hpp"

namespace clgemm::blas {

// Seconds. Of the CPU BLAS: call + multiplications * multiplication + elements moved * element. On a device
// the model says what a multiply takes, and the rest is call + elements moved * element.
struct Speeds {
  double cpu_call = 0.0;
  double cpu_multiplication = 0.0;
  double cpu_element = 0.0;
  double device_call = 0.0;
  double device_element = 0.0;
};

// How a call is made on either side, and what the model says.
struct Contestants {
  std::function<void(const Call&)> on_cpu;
  std::function<void(const Call&)> on_device;
  std::function<double(const Call&)> predicted_seconds;
};

// Takes some 0.2 s once all is compiled. Throws what the contestants throw.
Speeds measure(const Contestants& contestants);

// As measured by this or an earlier process for these contestants, of whom `key` says all that counts. Kept
// in the folder of the caches, if there is one.
Speeds kept_or_measured(const std::string& key, const Contestants& contestants);

double cpu_seconds(const Speeds& speeds, const Call& call);

// True where a device is expected to be faster. Asks the model only where the CPU takes longer than a call of
// the device takes at least.
bool pays(const Speeds& speeds, const Call& call,
          const std::function<double(const Call&)>& predicted_seconds);

// True where `count` such calls, gathered and multiplied in one launch, are expected to take less than each
// on its own, there or on the CPU. `predicted_seconds` is of so many in one launch.
bool one_launch_pays(const Speeds& speeds, const Call& call, std::size_t count,
                     const std::function<double(std::size_t count)>& predicted_seconds);

}  // namespace clgemm::blas
