// The sizes that stand for the shape classes where none is asked for.
#pragma once

#include <vector>

#include "base/device.hpp"
#include "common/size.hpp"

namespace clgemm::tune {

// The small ones first: a kernel that is hopeless there is not tried on the large ones.
std::vector<bench::Size> default_sizes(DeviceKind kind);

}  // namespace clgemm::tune
