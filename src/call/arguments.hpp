// What of the OpenCL objects in a call can be checked before any work.
#pragma once

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "call/batch_runs.hpp"
#include "call/problem.hpp"

namespace clgemm {

// The canonical operands' buffers: a and b exchanged where the caller was column-major.
struct Buffers {
  cl::Buffer a;
  cl::Buffer b;
  cl::Buffer c;
  cl::Buffer list{};  // of a listed batch: its Products; else null
};

// Throws Error(wrong_context) unless the queue belongs to the context and device.
void check_queue(const cl::CommandQueue& queue, const cl::Context& context, const cl::Device& device);

// Checks the caller's matrices against the call, each other and what `context` is, and fills in the operands'
// places in `problem`. Returns the buffers in canonical order. Throws Error in the caller's terms.
Buffers place_operands(const SgemmCall& call, const Extents& extents, const DeviceMatrix& a,
                       const DeviceMatrix& b, const DeviceMatrix& c, const cl::Context& context,
                       const Device& device, Problem& problem);

// The same for multiplies of a batch that a kernel finds by a list: of one group, `call` being one of them.
// Makes `problem` that of the whole list. The matrices C are not compared with each other.
struct ListedOperands {
  Buffers buffers;  // without the list
  std::vector<Product> products;
};
ListedOperands place_listed(const SgemmCall& call, const BatchLists& lists, const BatchGroup& group,
                            const cl::Context& context, const Device& device, Problem& problem);

// Throws Error(invalid_argument) where two of the matrices C, each of which was checked by itself, overlap
// each other. `one` is any call of the batch.
void check_listed_c(const SgemmCall& one, const std::vector<DeviceMatrix>& c);

// Checks memory that the caller brings for packed operands (Options::scratch).
cl::Buffer check_scratch(cl_mem scratch, const Buffers& matrices, const cl::Context& context,
                         const Device& device);

// Throws Error(invalid_argument) for a null pointer to host memory that the call reads or writes, and where C
// overlaps A or B.
void check_host_matrices(const SgemmCall& call, const Extents& extents, const float* a, const float* b,
                         const float* c);

}  // namespace clgemm
