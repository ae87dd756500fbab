// The caller's matrices in buffers: whether they are what a call needs, and where in their memory they lie.
// The rest of call/ asks; nothing below it does.
#pragma once

#include <cstddef>

#include "base/device.hpp"
#include "base/error.hpp"
#include "base/opencl.hpp"
#include "call/gemm.hpp"

namespace clgemm {

// What a call's matrices are checked against.
struct Surroundings {
  const cl::Context& context;
  const Device& device;
  cl_mem scratch;  // memory that the caller brings for packed operands (Options::scratch), or null
};

// Checks the caller's matrices against the call, each other and their surroundings, and fills in the
// operands' places in `problem`. Returns the buffers in canonical order. Throws Error in the caller's terms.
Buffers place_operands(const SgemmCall& call, const Extents& extents, const DeviceMatrix& a,
                       const DeviceMatrix& b, const DeviceMatrix& c, const Surroundings& surroundings,
                       Problem& problem);

// Checks the scratch, if there is one, against the surroundings and the matrices of a call.
void check_scratch(const Surroundings& surroundings, const Buffers& matrices);

// The buffer whose memory this one is: the parent of a sub-buffer. Only its address is looked at: the caller
// may have released it, and Intel's CPU runtime then refuses to retain it.
cl_mem root_of(cl_mem buffer);

// Where in that memory the buffer begins, in elements.
std::size_t first_in_root(cl_mem buffer);

// Returns this error of a call, or one that also says that offset and leading dimension of the matrix may
// have been exchanged: CLBlast has the offset first.
Error suspect_exchange(const Error& error, const SgemmCall& call, const DeviceMatrix& a,
                       const DeviceMatrix& b, const DeviceMatrix& c);

// Throws the Error of a C that shares elements with the matrix of this name.
[[noreturn]] void refuse_overlap(const char* name);

}  // namespace clgemm
