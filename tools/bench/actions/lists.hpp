// What --list-devices, --list-kernels and --show-kernel print.
#pragma once

#include <ostream>
#include <string>

namespace clgemm::bench {

// Throws Error(device_not_found) where there is none.
void list_devices(std::ostream& out);

void list_kernels(std::ostream& out, const std::string& kernel_folder);

// A kernel's file as it stands, by the name of the kernel or of a variant, or by its path among the built-in
// ones
// ("common/store.cl"). Throws Error(kernel_not_found) where there is none.
void show_kernel(std::ostream& out, const std::string& name, const std::string& kernel_folder);

}  // namespace clgemm::bench
