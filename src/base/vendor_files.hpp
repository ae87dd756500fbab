// Checks the drivers that the OpenCL ICD loader knows.
#pragma once

#include <string>

namespace clgemm {

// Returns which of them name a library that cannot be loaded, and why, because the loader skips such a driver
// silently. Empty if there is none. platform/drivers.hpp lists the places that are searched.
std::string unloadable_drivers();

}  // namespace clgemm
