// Calls on host matrices.
#pragma once

#include <clgemm/clgemm.hpp>

#include "scenario.hpp"

namespace clgemm::test {

struct HostCall {
  enum class By { context, device_set, free_function } by = By::context;
  bool on_copies = false;  // as on devices with memory of their own
  Shape shape{45, 51, 67};
  Options options = {};
  bool first_alone = false;  // of a set, only the first device is on copies
};

MakeScenario on_host(const HostCall& call);

// The first call of a process, on a cache that holds everything, or nothing.
MakeScenario first_call(bool is_cold);

// A multiply on what a constructor of Context or DeviceSet makes, which is moved first.
enum class Constructor {
  context_by_name,
  context_by_device,
  context_by_queue,
  set_by_name,
  set_by_devices,
};
MakeScenario made_by(Constructor constructor);

// What can be asked before a call.
MakeScenario ahead();

}  // namespace clgemm::test
