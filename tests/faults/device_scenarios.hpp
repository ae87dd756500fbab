// Calls on matrices in device memory.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstddef>

#include "scenario.hpp"

namespace clgemm::test {

struct DeviceCall {
  bool out_of_order = false;  // the queue
  Options options = {};
  std::size_t own_scratch_bytes = 0;
  enum class Call { sgemm, strided, sum, list, scale } call = Call::sgemm;
  bool by_free_function = false;
  bool in_shared_memory = false;  // pointers from clSVMAlloc() instead of buffers
};

MakeScenario on_device(const DeviceCall& call);

}  // namespace clgemm::test
