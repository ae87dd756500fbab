// The sizes that represent the shape classes if none is requested.
#pragma once

#include <vector>

#include "base/device.hpp"
#include "common/size.hpp"

namespace clgemm::tune {

// The small ones come first, so that a kernel that is hopeless there is not tried on the large ones.
std::vector<bench::Size> default_sizes(DeviceKind kind);

}  // namespace clgemm::tune
