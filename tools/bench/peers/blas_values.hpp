// The values of the C interfaces of BLAS libraries. CBLAS and CLBlast have the same ones.
#pragma once

#include <climits>

#include "base/error.hpp"
#include "call/problem.hpp"

namespace clgemm::bench {

inline int blas_layout(Layout layout) {
  return layout == Layout::row_major ? 101 : 102;
}

inline int blas_transpose(Transpose transpose) {
  return transpose == Transpose::yes ? 112 : 111;
}

// CBLAS and cuBLAS take sizes as int.
inline int blas_size(std::size_t value) {
  if (value > INT_MAX) throw Error(ErrorCode::invalid_argument, "the sizes are too large for this library");
  return static_cast<int>(value);
}

}  // namespace clgemm::bench
