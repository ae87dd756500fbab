// A device that fails, for tests: the program's own definitions of OpenCL's functions come before those of
// the OpenCL library.
#pragma once

#include <CL/cl.h>

#include <cstddef>

namespace clgemm::test {

// So many kernels are enqueued on this device, null for any, and all later ones fail, as do reads.
void fail_after_kernels(cl_device_id device, std::size_t kernels);

// Likewise for reads of buffers alone.
void fail_after_reads(cl_device_id device, std::size_t reads);

// The next so many calls fail.
void fail_maps(int calls);
void fail_finishes(int calls);

// All devices work again.
void heal();

}  // namespace clgemm::test
