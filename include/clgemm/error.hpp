/// \file
/// The one exception type that clgemm throws.
#pragma once

#include <clgemm/export.h>

#include <stdexcept>
#include <string>

namespace clgemm {

/// What kind of thing went wrong. The text of the Error says which one, where, and what would be right.
enum class ErrorCode {
  invalid_argument = 1,       ///< an argument of the call makes no sense: a size, a null pointer, a wait list
  invalid_leading_dimension,  ///< zero, negative, or shorter than a row (row-major) or a column
                              ///< (column-major)
  buffer_too_small,       ///< a device buffer ends before offset and leading dimension say the matrix does
  wrong_context,          ///< a queue or a buffer belongs to another OpenCL context
  device_not_found,       ///< no platform, no device, or none that matches the name or index asked for
  kernel_not_found,       ///< no kernel, variant or file of that name
  invalid_kernel_file,    ///< a kernel's file cannot be read, its manifest is wrong, or an include is missing
  invalid_parameter,      ///< a kernel has no such parameter, or not this value
  requirement_failed,     ///< a `require` of the kernel's manifest does not hold
  device_limit_exceeded,  ///< the kernel wants a larger work-group or more local memory than the device has
  build_failed,           ///< the OpenCL compiler refused the kernel; the text carries its log
  out_of_memory,          ///< the device or the host has no memory left for this
  opencl_error,           ///< any other status of an OpenCL call; the text names the call and the status
  internal_error,         ///< a defect of clgemm itself
  self_test_failed,       ///< a kernel gave a wrong result on this device in its self-test
  device_lost,            ///< a fault has ended the device's OpenCL context, and what was in it; see Context
  forked_process,         ///< this process was forked from one that had used clgemm; see Context
  matrices_in_use,  ///< a call on host matrices failed, and the device cannot be waited for: it may still
                    ///< read A and B and write C; keep them until the end of the process
};

/// Which argument of the call an Error speaks of, by its name in clgemm.hpp. `a`, `b` and `c` stand for the
/// pointer, or for the whole DeviceMatrix with its offset.
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
  stride_c,     ///< from one C of a batch to the next
  batch_count,  ///< how many multiplies
  queue,        ///< the OpenCL queue
  wait_for,     ///< the wait list
  options       ///< one of the options
};

/// Thrown by every function of clgemm that fails. What can be known before any work is said before any work,
/// and C is then as it was.
class CLGEMM_API Error : public std::runtime_error {
 public:
  /// An Error of this kind, with this text for what().
  Error(ErrorCode code, const std::string& text, Argument argument = Argument::none)
      : std::runtime_error(text), code_(code), argument_(argument) {}

  /// What kind of thing went wrong.
  ErrorCode code() const noexcept { return code_; }

  /// Which argument of the call it is about; none where it is about something else.
  Argument argument() const noexcept { return argument_; }

 private:
  ErrorCode code_;
  Argument argument_;
};

/// The name of a code as it stands above, for example "buffer_too_small".
CLGEMM_API const char* to_string(ErrorCode code) noexcept;

}  // namespace clgemm
