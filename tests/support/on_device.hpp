// Tests that run on a device. It is the library's default device, so CLGEMM_DEVICE selects it.
#pragma once

#include <clgemm/clgemm.hpp>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "gemm_case.hpp"

namespace clgemm::test {

// Returns the Context of all tests in a process, so that kernels are compiled once.
Context& shared_context();

// These return the same as objects of OpenCL-CLHPP.
cl::Context shared_cl_context();
cl::Device shared_device();
cl::CommandQueue shared_queue();
const Device& shared_device_info();

// Returns the kinds of queue that the device has: `false` is in-order, `true` out-of-order. Prints a warning
// if it has no out-of-order queues.
std::vector<bool> queue_kinds();

// Makes a queue of the shared context. It is in-order if the device has no other.
cl::CommandQueue make_queue(bool out_of_order);

cl::Buffer make_buffer(const std::vector<float>& elements, cl_mem_flags access = CL_MEM_READ_WRITE);
std::vector<float> read_buffer(const cl::Buffer& buffer, const cl::CommandQueue& queue = shared_queue());

// The buffers of a GEMM.
struct DeviceData {
  cl::Buffer a, b, c;
};
DeviceData upload(const Data& data);

DeviceMatrix matrix_at(const cl::Buffer& buffer, const Place& place);

// Runs the GEMM on the device and returns the contents of C's buffer. Fails the test if A or B changed.
std::vector<float> run_on_device(const GemmCase& gemm, const Data& data, const Options& options);

// Calls run_on_device(), and checks the error bound and everything around C.
void check_on_device(const GemmCase& gemm, const Data& data, const Options& options);

// Does the same with Context::sgemm() for host matrices.
std::vector<float> run_on_host(const GemmCase& gemm, Data data, const Options& options);

// Fails the test unless `c` is right and the memory around it is unchanged.
void check_result(const GemmCase& gemm, const Data& before, const std::vector<float>& c);

// Returns the GEMM kernels and variants of the library and of CLGEMM_KERNEL_DIR.
std::vector<std::string> kernels_to_test();

}  // namespace clgemm::test
