// The only check of a call: it converts the caller's arguments to a GEMM with its memory (call/gemm.hpp).
#pragma once

#include <vector>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "call/device_matrices.hpp"
#include "call/gemm.hpp"
#include "call/shared_memory.hpp"
#include "call/strided_batches.hpp"

namespace clgemm {

// Throws Error(wrong_context) unless the queue belongs to the context and device.
void check_queue(const cl::CommandQueue& queue, const cl::Context& context, const cl::Device& device);

// Checks a call, its matrices against the call and each other, and the scratch. Throws an Error in the
// caller's terms.
DeviceGemm check_device_gemm(const SgemmCall& call, const DeviceMatrix& a, const DeviceMatrix& b,
                             const DeviceMatrix& c, const Surroundings& surroundings);

// Checks a call and its matrices. Throws an Error in the caller's terms, also if a matrix that the call reads
// or writes is null.
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
  std::vector<cl::Buffer> buffers{};  // buffers that the lists name
};
ListsOnBuffers lists_on_buffers(const SgemmCall& one, const BatchLists& lists,
                                const Surroundings& surroundings);

// Check GEMMs of a batch at any places: a group, whose matrices a kernel finds in a list, or a strided
// batch, which needs no list. `one` has what all GEMMs share. The matrices C of a group are not compared with
// each other. Error texts name the GEMMs.
DeviceGemm check_group(const SgemmCall& one, const BatchLists& lists, const BatchGroup& group,
                       const Surroundings& surroundings);
DeviceGemm check_strided_batch(const SgemmCall& one, const BatchLists& lists, const StridedBatch& strided,
                               const Surroundings& surroundings);

// Returns the Problem of a strided batch in a group that was checked.
Problem problem_of_strided_batch(const DeviceGemm& group, const StridedBatch& strided);

// Throws Error(invalid_argument) if two of the matrices C overlap each other. Each was already checked by
// itself. `one` is any call of the batch.
void check_listed_c(const SgemmCall& one, const std::vector<DeviceMatrix>& c);

}  // namespace clgemm
