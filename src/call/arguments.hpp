// The one check of a call: from the caller's words and matrices to a GEMM with its memory (call/gemm.hpp).
#pragma once

#include <vector>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "call/batch_runs.hpp"
#include "call/device_matrices.hpp"
#include "call/gemm.hpp"
#include "call/shared_memory.hpp"

namespace clgemm {

// Throws Error(wrong_context) unless the queue belongs to the context and device.
void check_queue(const cl::CommandQueue& queue, const cl::Context& context, const cl::Device& device);

// Checks a call, its matrices against the call and each other, and the scratch. Throws Error in the caller's
// terms.
DeviceGemm check_device_gemm(const SgemmCall& call, const DeviceMatrix& a, const DeviceMatrix& b,
                             const DeviceMatrix& c, const Surroundings& surroundings);

// Checks a call and its matrices. Throws Error in the caller's terms, for null pointers among them to what
// the call reads or writes.
HostGemm check_host_gemm(const SgemmCall& call, const float* a, const float* b, float* c);

// Checks a shape. The Problem is that of a call with buffers that the device allocated.
Problem check_shape(const SgemmShape& shape, const Device& device);

// Checks the shape of a call on host matrices.
Problem check_host_shape(const SgemmShape& shape);

// The lists of a batch with buffers instead of pointers to shared memory.
struct ListsOnBuffers {
  std::vector<DeviceMatrix> a;
  std::vector<DeviceMatrix> b;
  std::vector<DeviceMatrix> c;
  std::vector<cl::Buffer> buffers{};  // that the lists name
};
ListsOnBuffers lists_on_buffers(const SgemmCall& one, const BatchLists& lists,
                                const Surroundings& surroundings);

// Checks multiplies of a batch at any places: a group, which a kernel can find by a list, or a run of them,
// which needs none. `one` is what all have in common. The matrices C of a group are not compared with each
// other. Texts name the multiplies.
DeviceGemm check_group(const SgemmCall& one, const BatchLists& lists, const BatchGroup& group,
                       const Surroundings& surroundings);
DeviceGemm check_run(const SgemmCall& one, const BatchLists& lists, const BatchRun& run,
                     const Surroundings& surroundings);

// The Problem of a run of a group that was checked.
Problem problem_of_run(const DeviceGemm& group, const BatchRun& run);

// Throws Error(invalid_argument) where two of the matrices C, each of which was checked by itself, overlap
// each other. `one` is any call of the batch.
void check_listed_c(const SgemmCall& one, const std::vector<DeviceMatrix>& c);

}  // namespace clgemm
