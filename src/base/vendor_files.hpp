// The files by which OpenCL's ICD loader finds drivers.
#pragma once

#include <filesystem>
#include <string>

namespace clgemm {

// Says which of them name a library that cannot be loaded, and why: the loader passes over such a driver in
// silence. Empty if there is none. Looks where OCL_ICD_VENDORS says, or in /etc/OpenCL/vendors.
std::string unloadable_drivers();

}  // namespace clgemm
