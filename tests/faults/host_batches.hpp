// Batches of host matrices in one launch, in place or gathered.
#pragma once

#include <clgemm/clgemm.hpp>

#include "scenario.hpp"

namespace clgemm::test {

struct HostBatchCall {
  enum class By { context, device_set, free_function } by = By::context;
  bool on_copies = false;  // like devices with their own memory
  bool is_list = false;    // the distances of the matrices are not constant
};

MakeScenario host_batch(const HostBatchCall& call);

}  // namespace clgemm::test
