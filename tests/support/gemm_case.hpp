// A GEMM for a test: its arguments, the memory layout of its matrices, and their data.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace clgemm::test {

// op(X) of a GEMM and the memory layout of X. All counts are elements.
struct Place {
  bool by_rows = true;      // a line in memory is a row of op(X), otherwise a column
  std::size_t rows = 0;     // those of op(X)
  std::size_t columns = 0;  // those of op(X)
  std::size_t ld = 0;
  std::size_t offset = 0;
  std::size_t tail = 0;  // elements of the buffer after the matrix

  std::size_t lines() const { return by_rows ? rows : columns; }
  std::size_t length() const { return by_rows ? columns : rows; }
  std::size_t index(std::size_t row, std::size_t column) const {
    return offset + (by_rows ? row * ld + column : column * ld + row);
  }
  std::size_t buffer_elements() const {
    return offset + (lines() == 0 ? 0 : (lines() - 1) * ld + length()) + tail;
  }
};

struct Shape {
  std::size_t m, n, k;
};

struct Form {
  Layout layout;
  Transpose transpose_a, transpose_b;
};

// Both layouts and all transposes.
const std::vector<Form>& all_forms();

struct Scalars {
  float alpha, beta;
};

// alpha and beta in {0, 1, -1.5}.
const std::vector<Scalars>& all_scalars();

// The layout of matrices in their buffers.
struct Placement {
  std::size_t ld_multiple;  // leading dimensions are a multiple of this
  std::size_t ld_extra;     // added to the leading dimension
  std::size_t offset;
  std::size_t tail;
};

// Without gaps; with gaps and odd offsets; with gaps, offsets and rows that suit vector loads; with rows at a
// distance of a power of two.
const std::vector<Placement>& all_placements();

struct GemmCase {
  Form form;
  Shape shape;
  Scalars scalars;
  Place a, b, c;
};

GemmCase make_gemm_case(const Form& form, const Shape& shape, const Scalars& scalars,
                        const Placement& placement);

// Describes the GEMM for Catch's INFO.
std::string describe(const GemmCase& gemm);

// The contents of the three buffers.
struct Data {
  std::vector<float> a, b, c;
};

// Makes random elements in [-1, 1). The memory around A and B is NaN, so that a read of it shows. The memory
// around C is a canary. C itself is NaN if beta == 0, because then it must not be read.
Data random_data(const GemmCase& gemm, std::uint32_t seed);

// Makes the same with small integers. Their sums are exact in fp32.
Data integer_data(const GemmCase& gemm, std::uint32_t seed);

// Makes random elements in [-1, 1), the same on every machine.
std::vector<float> random_elements(std::size_t count, std::uint32_t seed);

bool same_bits(const std::vector<float>& left, const std::vector<float>& right);

// Describes damage to the memory around C after a call. Empty if there is none.
std::string damage_around_c(const GemmCase& gemm, const Data& before, const std::vector<float>& c);

}  // namespace clgemm::test
