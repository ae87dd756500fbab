// Which OpenCL drivers the ICD loader is told of.
#pragma once

#include <string>
#include <vector>

namespace clgemm {

struct InstalledDriver {
  std::string named_by;  // the file, or the registry key
  std::string library;
};

// Linux: the files *.icd where OCL_ICD_VENDORS says, or in /etc/OpenCL/vendors, in the order of their names.
// Windows: the values of the registry key that Khronos's loader reads.
std::vector<InstalledDriver> installed_drivers();

// Whether the system lets drivers gather commands before the device sees them, as Windows does.
bool gathers_commands();

}  // namespace clgemm
