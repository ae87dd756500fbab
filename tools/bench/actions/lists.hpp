// What --list-devices and --list-kernels print.
#pragma once

#include <ostream>
#include <string>

namespace clgemm::bench {

// Throws Error(device_not_found) where there is none.
void list_devices(std::ostream& out);

void list_kernels(std::ostream& out, const std::string& kernel_folder);

}  // namespace clgemm::bench
