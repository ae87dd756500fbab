// What CLBlast checks before a GEMM, in its order, so that a wrong call has the status that it has with
// CLBlast.
#pragma once

#include <clblast.h>

#include <cstddef>

namespace clgemm::clblast_names {

// The words of a call that all kinds of GEMM have.
struct Form {
  clblast::Layout layout;
  clblast::Transpose transpose_a;
  clblast::Transpose transpose_b;
  std::size_t m;
  std::size_t n;
  std::size_t k;
};

// A matrix, or the last one of a batch.
struct Last {
  cl_mem buffer;
  std::size_t ld;
  std::size_t offset;
};

// CLBlast lets the A and B of GemmBatched have rows that overlap: its Convgemm needs such.
enum class RowsOfAAndB { apart, may_overlap };

// Returns the offset of matrix number `batch_count` - 1 of a strided batch, or the largest number if that is
// too large.
std::size_t last_offset(std::size_t offset, std::size_t stride, std::size_t batch_count);

clblast::StatusCode check_queue(const cl_command_queue* queue);

clblast::StatusCode check_gemm(const Form& form, const Last& a, const Last& b, const Last& c,
                               RowsOfAAndB rows = RowsOfAAndB::apart);

// How a matrix lies in memory: `two` lines of `one` elements.
struct Extent {
  std::size_t one;
  std::size_t two;
};
Extent extent_of_a(const Form& form);
Extent extent_of_b(const Form& form);
Extent extent_of_c(const Form& form);

}  // namespace clgemm::clblast_names
