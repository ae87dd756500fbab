// The outermost part of a program: errors become a message and an exit status.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/error.hpp"
#include "common/say.hpp"
#include "common/usage_error.hpp"

namespace clgemm::bench {

inline constexpr int all_is_well = 0;
inline constexpr int something_failed = 1;
inline constexpr int bad_usage = 2;

// Returns the status for an error of the library. The command line is at fault if it names something that
// does not exist.
inline int status_of(const Error& error) {
  constexpr std::array at_fault = {ErrorCode::device_not_found, ErrorCode::kernel_not_found,
                                   ErrorCode::invalid_parameter};
  return std::find(at_fault.begin(), at_fault.end(), error.code()) != at_fault.end() ? bad_usage
                                                                                     : something_failed;
}

// Returns the status that `run` returns, or that of its error.
inline int run_program(const char* name, const std::function<int()>& run) {
  const auto complain = [name](const char* what, int status) {
    say(name, fmt::format("error: {}", what));
    return status;
  };
  try {
    return run();
  } catch (const UsageError& error) {
    return complain(error.what(), bad_usage);
  } catch (const Error& error) {
    return complain(error.what(), status_of(error));
  } catch (const cl::Error& error) {
    return complain(from_opencl(error).what(), something_failed);
  } catch (const std::exception& error) {
    return complain(error.what(), something_failed);
  }
}

}  // namespace clgemm::bench
