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
};

/// Thrown by every function of clgemm that fails. What can be known before any work is said before any work,
/// and C is then as it was.
class CLGEMM_API Error : public std::runtime_error {
 public:
  /// An Error of this kind, with this text for what().
  Error(ErrorCode code, const std::string& text) : std::runtime_error(text), code_(code) {}

  /// What kind of thing went wrong.
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// The name of a code as it stands above, for example "buffer_too_small".
CLGEMM_API const char* to_string(ErrorCode code) noexcept;

}  // namespace clgemm
