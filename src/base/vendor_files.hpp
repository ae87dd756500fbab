// What the ICD loader of OpenCL is told of drivers.
#pragma once

#include <string>

namespace clgemm {

// Says which of them name a library that cannot be loaded, and why: the loader passes over such a driver in
// silence. Empty if there is none. platform/drivers.hpp says where this looks.
std::string unloadable_drivers();

}  // namespace clgemm
