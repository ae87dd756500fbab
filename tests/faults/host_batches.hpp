// Batches of host matrices in one launch, as the Python package makes them.
#pragma once

#include "scenario.hpp"

namespace clgemm::test {

// On devices that seem to have memory of their own, the batch goes through gathered copies.
MakeScenario host_batch(bool on_copies);

}  // namespace clgemm::test
