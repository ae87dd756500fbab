// Makes the checks that CLBlast makes before a GEMM, in its order, so that a wrong call gets the same status
// as from CLBlast.
#pragma once

#include <clblast.h>

#include <cstddef>

namespace clgemm::clblast_names {

// The arguments that all kinds of GEMM share.
struct Form {
  clblast::Layout layout;
  clblast::Transpose transpose_a;
  clblast::Transpose transpose_b;
  std::size_t m;
  std::size_t n;
  std::size_t k;
};

// A matrix, or the last matrix of a batch.
struct Last {
  cl_mem buffer;
  std::size_t ld;
  std::size_t offset;
};

// CLBlast allows overlapping rows in the A and B of GemmBatched, because its Convgemm needs them.
enum class RowsOfAAndB { apart, may_overlap };

// Returns the offset of matrix number `batch_count` - 1 of a strided batch, or the largest number if it is
// too large.
std::size_t last_offset(std::size_t offset, std::size_t stride, std::size_t batch_count);

clblast::StatusCode check_queue(const cl_command_queue* queue);

clblast::StatusCode check_gemm(const Form& form, const Last& a, const Last& b, const Last& c,
                               RowsOfAAndB rows = RowsOfAAndB::apart);

// The layout of a matrix in memory: `two` lines of `one` elements.
struct Extent {
  std::size_t one;
  std::size_t two;
};
Extent extent_of_a(const Form& form);
Extent extent_of_b(const Form& form);
Extent extent_of_c(const Form& form);

}  // namespace clgemm::clblast_names
