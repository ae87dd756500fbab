// Lists the OpenCL drivers that the ICD loader knows.
#pragma once

#include <string>
#include <vector>

namespace clgemm {

struct InstalledDriver {
  std::string named_by;  // the file, or the registry key
  std::string library;
};

// On Linux, reads the files *.icd in the place that OCL_ICD_VENDORS names, or in /etc/OpenCL/vendors, in the
// order of their names. On Windows, reads the values of the registry key that Khronos's loader reads.
std::vector<InstalledDriver> installed_drivers();

// Returns whether the system lets drivers collect commands before the device gets them, as Windows does.
bool gathers_commands();

}  // namespace clgemm
