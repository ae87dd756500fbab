// Tells which errors of clgemm are the command line's fault.
#pragma once

#include <algorithm>
#include <array>
#include <clgemm/error.hpp>

namespace clgemm::bench {

// Returns true if the command line names something that does not exist.
inline bool is_bad_usage(const Error& error) {
  constexpr std::array codes = {ErrorCode::device_not_found, ErrorCode::kernel_not_found,
                                ErrorCode::invalid_parameter};
  return std::find(codes.begin(), codes.end(), error.code()) != codes.end();
}

}  // namespace clgemm::bench
