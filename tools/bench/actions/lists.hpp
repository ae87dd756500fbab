// The output of --list-devices, --list-kernels and --show-kernel.
#pragma once

#include <ostream>
#include <string>

namespace clgemm::bench {

// Throws Error(device_not_found) if there is no device.
void list_devices(std::ostream& out);

void list_kernels(std::ostream& out, const std::string& kernel_folder);

// Writes a kernel's file unchanged. `name` is the name of a kernel or of a variant, or a path among the
// built-in files ("common/store.cl"). Throws Error(kernel_not_found) if there is no such kernel.
void show_kernel(std::ostream& out, const std::string& name, const std::string& kernel_folder);

}  // namespace clgemm::bench
