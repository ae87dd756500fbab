// A call on host matrices in terms of the public API, without anything of Python.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstddef>

namespace clgemm::python {

// One GEMM, or `batch_count` GEMMs on matrices at a constant stride.
struct Arrangement {
  Layout layout = Layout::row_major;
  Transpose transpose_a = Transpose::no;
  Transpose transpose_b = Transpose::no;
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  std::size_t lda = 0;  // for lists: of the first matrices
  std::size_t ldb = 0;
  std::size_t ldc = 0;
  Layout order_of_a = Layout::row_major;  // as stored; `transpose_a` is in terms of `layout`
  Layout order_of_b = Layout::row_major;
  bool is_batch = false;
  std::size_t batch_count = 1;
  std::size_t stride_a = 0;
  std::size_t stride_b = 0;
  std::size_t stride_c = 0;
};

}  // namespace clgemm::python
