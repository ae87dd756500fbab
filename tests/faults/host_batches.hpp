// Batches of host matrices: in one launch, where they lie or gathered.
#pragma once

#include <clgemm/clgemm.hpp>

#include "scenario.hpp"

namespace clgemm::test {

struct HostBatchCall {
  enum class By { context, device_set, free_function } by = By::context;
  bool on_copies = false;  // as on devices with memory of their own
  bool is_list = false;    // of matrices that do not lie evenly apart
};

MakeScenario host_batch(const HostBatchCall& call);

}  // namespace clgemm::test
