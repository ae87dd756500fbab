// Checks the caller's matrices in buffers, and finds their places in memory. Only the rest of call/ uses
// this; nothing below it does.
#pragma once

#include <cstddef>

#include "base/device.hpp"
#include "base/error.hpp"
#include "base/opencl.hpp"
#include "call/gemm.hpp"

namespace clgemm {

// The things that a call's matrices are checked against.
struct Surroundings {
  const cl::Context& context;
  const Device& device;
  cl_mem scratch;  // memory of the caller for packed operands (Options::scratch), or null
};

// Checks the caller's matrices against the call, each other and their surroundings, and stores the operands'
// places in `problem`. Returns the buffers in canonical order. Throws an Error in the caller's terms.
Buffers place_operands(const SgemmCall& call, const Extents& extents, const DeviceMatrix& a,
                       const DeviceMatrix& b, const DeviceMatrix& c, const Surroundings& surroundings,
                       Problem& problem);

// Checks the scratch, if there is one, against the surroundings and the matrices of a call.
void check_scratch(const Surroundings& surroundings, const Buffers& matrices);

// Returns the buffer that owns this buffer's memory: the parent of a sub-buffer. Use only its address. The
// caller may have released it, and Intel's CPU runtime then refuses to retain it.
cl_mem root_of(cl_mem buffer);

// Returns the buffer's offset in that memory, in elements.
std::size_t first_in_root(cl_mem buffer);

// Returns this error of a call, or an error that also says that offset and leading dimension of the matrix
// may have been exchanged, because CLBlast has the offset first.
Error suspect_exchange(const Error& error, const SgemmCall& call, const DeviceMatrix& a,
                       const DeviceMatrix& b, const DeviceMatrix& c);

// Throws the Error for a C that shares elements with the matrix of this name.
[[noreturn]] void refuse_overlap(const char* name);

}  // namespace clgemm
