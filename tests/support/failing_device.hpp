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

// Likewise for all calls on its queues, and for waiting for its events, after so many kernels: what runs then
// goes on, and nobody learns of it.
void lose_after_kernels(cl_device_id device, std::size_t kernels);

// After so many kernels of any device, one cannot be enqueued, and gives this status.
void fail_one_kernel(std::size_t kernels, cl_int status);

// After so many kernels of any device, one does not run: its event says so, and nothing else does.
void drop_one_kernel(std::size_t kernels);

// Reads of buffers take so long before they begin; 0: no longer than they do.
void slow_reads(int milliseconds);

// The next so many calls fail.
void fail_maps(int calls);
void fail_finishes(int calls);

// All devices work again.
void heal();

}  // namespace clgemm::test
