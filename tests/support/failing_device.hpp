// A device that fails, for tests. The program's own definitions of OpenCL's functions come before those of
// the OpenCL library.
#pragma once

#include <CL/cl.h>

#include <cstddef>

namespace clgemm::test {

// Lets this many kernels be enqueued on this device (null means any). All later kernels fail, and so do
// reads.
void fail_after_kernels(cl_device_id device, std::size_t kernels);

// Does the same for reads of buffers only.
void fail_after_reads(cl_device_id device, std::size_t reads);

// Does the same for all calls on its queues, and for waiting for its events, after this many kernels. Running
// commands continue, but the host cannot notice it.
void lose_after_kernels(cl_device_id device, std::size_t kernels);

// After this many kernels on any device, one kernel cannot be enqueued, and returns this status.
void fail_one_kernel(std::size_t kernels, cl_int status);

// After this many kernels on any device, one does not run. Only its event shows this.
void drop_one_kernel(std::size_t kernels);

// Delays reads of buffers by this time. 0 means no delay.
void slow_reads(int milliseconds);

// Each lets this many of the next calls fail.
void fail_maps(int calls);
void fail_finishes(int calls);

// Makes all devices work again.
void heal();

}  // namespace clgemm::test
