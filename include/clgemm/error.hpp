/// \file
/// The only exception type that clgemm throws.
#pragma once

#include <clgemm/export.h>

#include <stdexcept>
#include <string>

namespace clgemm {

/// The kind of an error. The text of the Error gives the details, and often says which values are valid.
enum class ErrorCode {
  invalid_argument = 1,       ///< an invalid argument of the call: a size, a null pointer, a wait list
  invalid_leading_dimension,  ///< zero, shorter than a row (row-major) or a column (column-major),
                              ///< or larger than 2^63 - 1
  buffer_too_small,           ///< the matrix, with its offset and leading dimension, does not fit its buffer
  wrong_context,              ///< a queue or a buffer belongs to another OpenCL context
  device_not_found,           ///< no platform, no device, or none with this name or index
  kernel_not_found,           ///< no kernel, variant or file of that name
  invalid_kernel_file,    ///< a kernel file cannot be read, its manifest is wrong, or an include is missing
  invalid_parameter,      ///< the kernel has no such parameter, or does not allow this value
  requirement_failed,     ///< a `require` of the kernel's manifest does not hold
  device_limit_exceeded,  ///< the kernel needs a larger work-group or more local memory than the device has
  build_failed,           ///< the OpenCL compiler rejected the kernel; the text contains its log
  out_of_memory,          ///< the device or the host has not enough memory
  opencl_error,           ///< any other OpenCL failure; the text names the call and its status
  internal_error,         ///< a bug in clgemm
  self_test_failed,       ///< a kernel gave a wrong result on this device in its self-test
  device_lost,            ///< a fault has destroyed the device's OpenCL context and its data; see Context
  forked_process,         ///< this process was forked from one that had used clgemm; see Context
  matrices_in_use,  ///< a call on host matrices failed, and the device may still read A and B and write C,
                    ///< so do not free them before the process ends
};

/// The argument that an Error is about, by its name in clgemm.hpp. `a`, `b` and `c` stand for the pointer, or
/// for the whole DeviceMatrix with its offset.
enum class Argument {
  none = 0,     ///< no argument, or several at once
  layout,       ///< row-major or column-major
  transpose_a,  ///< whether A is transposed
  transpose_b,  ///< whether B is transposed
  m,            ///< rows of op(A) and C
  n,            ///< columns of op(B) and C
  k,            ///< columns of op(A), rows of op(B)
  a,            ///< the matrix A
  lda,          ///< its leading dimension
  b,            ///< the matrix B
  ldb,          ///< its leading dimension
  c,            ///< the matrix C
  ldc,          ///< its leading dimension
  stride_c,     ///< distance from one C of a batch to the next
  batch_count,  ///< number of GEMMs
  queue,        ///< the OpenCL queue
  wait_for,     ///< the wait list
  options       ///< one of the options
};

/// Thrown by every function of clgemm that fails. If an error can be detected before any work, it is thrown
/// then, and C is unchanged.
class CLGEMM_API Error : public std::runtime_error {
 public:
  /// Makes an Error of this kind, with this text for what().
  Error(ErrorCode code, const std::string& text, Argument argument = Argument::none)
      : std::runtime_error(text), code_(code), argument_(argument) {}

  /// Returns the kind of the error.
  ErrorCode code() const noexcept { return code_; }

  /// Returns the argument that the error is about, or none if it is about something else.
  Argument argument() const noexcept { return argument_; }

 private:
  ErrorCode code_;
  Argument argument_;
};

/// Returns the name of a code as it is written above, for example "buffer_too_small".
CLGEMM_API const char* to_string(ErrorCode code) noexcept;

}  // namespace clgemm
