// Calls on host matrices.
#pragma once

#include <clgemm/clgemm.hpp>

#include "scenario.hpp"

namespace clgemm::test {

struct HostCall {
  enum class By { context, device_set, free_function } by = By::context;
  bool on_copies = false;  // like devices with memory of their own
  Shape shape{45, 51, 67};
  Options options = {};
  bool first_alone = false;  // only the first device of a set uses copies
};

MakeScenario on_host(const HostCall& call);

// The first call of a process, with a cache that has everything, or with an empty one.
MakeScenario first_call(bool is_cold);

// A GEMM on the object that a constructor of Context or DeviceSet makes. The object is moved first.
enum class Constructor {
  context_by_name,
  context_by_device,
  context_by_queue,
  set_by_name,
  set_by_devices,
};
MakeScenario made_by(Constructor constructor);

// The questions that can be asked before a call.
MakeScenario ahead();

}  // namespace clgemm::test
