// The speed model: how long a plan should take. Arithmetic on the plan and on what the device reports, no
// OpenCL. Good for comparing plans with each other, not for clocks.
#pragma once

#include "base/device.hpp"
#include "plan/plan.hpp"

namespace clgemm {

// What a device can do at best, guessed from what it reports.
struct DeviceRates {
  double unit_flops = 0.0;      // of a compute unit, a second
  double bytes = 0.0;           // to and from memory, a second
  double launch_seconds = 0.0;  // of the first kernel of a call
  double next_seconds = 0.0;    // of each further one behind it
  double items_to_fill = 1.0;   // work-items that keep a compute unit busy
};
DeviceRates rates_of(const Device& device);

struct Prediction {
  double multiply = 0.0;  // seconds: computing, or reading A and B and writing C, whichever takes longer
  double packing = 0.0;   // launches included
  double launches = 0.0;  // of the multiply kernel

  double seconds() const { return multiply + packing + launches; }
};

Prediction predict(const Plan& plan, const Device& device);

}  // namespace clgemm
