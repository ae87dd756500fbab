// A device that fails, for tests: the program's own definitions of OpenCL's functions come before those of
// the OpenCL library.
#pragma once

#include <cstddef>
#include <string>

namespace clgemm::test {

// Of a device whose name has this part: so many kernels are enqueued, and all later ones fail, as do reads.
// "" is any device.
void fail_after_kernels(const std::string& device, std::size_t kernels);

// Likewise for reads of buffers alone.
void fail_after_reads(const std::string& device, std::size_t reads);

// The next so many calls fail.
void fail_maps(int calls);
void fail_finishes(int calls);

// All devices work again.
void heal();

}  // namespace clgemm::test
