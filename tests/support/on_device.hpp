// Tests that run on a device: the one that the library takes by default, so that CLGEMM_DEVICE picks it.
#pragma once

#include <clgemm/clgemm.hpp>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "multiply.hpp"

namespace clgemm::test {

// One Context for all tests of a process: kernels are compiled once.
Context& shared_context();

// The same as objects of OpenCL-CLHPP.
cl::Context shared_cl_context();
cl::Device shared_device();
cl::CommandQueue shared_queue();
const Device& shared_device_info();

// The kinds of queue that the device has: `false` is in-order, `true` out-of-order. Says loudly where there
// is none of the second.
std::vector<bool> queue_kinds();

// A queue of the shared context; in-order where the device has no other.
cl::CommandQueue make_queue(bool out_of_order);

cl::Buffer make_buffer(const std::vector<float>& elements, cl_mem_flags access = CL_MEM_READ_WRITE);
std::vector<float> read_buffer(const cl::Buffer& buffer, const cl::CommandQueue& queue = shared_queue());

// The buffers of a multiply.
struct DeviceData {
  cl::Buffer a, b, c;
};
DeviceData upload(const Data& data);

DeviceMatrix matrix_at(const cl::Buffer& buffer, const Place& place);

// Runs the multiply on the device and returns what C's buffer holds then. Fails the test where A or B
// changed.
std::vector<float> run_on_device(const Multiply& multiply, const Data& data, const Options& options);

// run_on_device(), checked: the error bound and everything around C.
void check_on_device(const Multiply& multiply, const Data& data, const Options& options);

// The same with Context::sgemm() for host matrices.
std::vector<float> run_on_host(const Multiply& multiply, Data data, const Options& options);

// Fails the test unless `c` is right and nothing around it was written.
void check_result(const Multiply& multiply, const Data& before, const std::vector<float>& c);

// The kernels and variants that multiply: those of the library, and of CLGEMM_KERNEL_DIR.
std::vector<std::string> kernels_to_test();

}  // namespace clgemm::test
