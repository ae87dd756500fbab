// The data of one GEMM on the host, and their form in memory for the caller's layout and transposes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "call/problem.hpp"
#include "common/size.hpp"

namespace clgemm::bench {

// The properties of a GEMM other than its size.
struct GemmKind {
  Layout layout = Layout::row_major;
  Transpose transpose_a = Transpose::no;
  Transpose transpose_b = Transpose::no;
  float alpha = 1.0f;
  float beta = 0.0f;
  std::size_t gap = 0;  // elements between the end of a row (or column) of each matrix and the next one
  std::size_t batch_count = 1;  // the GEMMs in one call, with their matrices one after another

  bool operator==(const GemmKind&) const = default;
};

// One GEMM of a run.
struct Case {
  Size size;
  GemmKind kind;
  std::string label;  // adds to the size: "BERT-base, feed-forward up, 128 tokens"
};

// Returns the operations of all GEMMs of the batch together.
double operations(const Case& one);

// Returns the call, with leading dimensions that leave the gaps of `kind`.
SgemmCall call_of(const GemmKind& kind, const Size& size);

// Returns the kind that leads to this call.
GemmKind kind_of(const SgemmCall& call);

// op(A), op(B) and C, each row-major without gaps, as a check needs them for any layout of the call. The
// matrices of a batch follow each other, so that C has batch_count * m rows.
struct HostData {
  SgemmCall call;
  std::vector<float> a;  // m x k, for each GEMM
  std::vector<float> b;  // k x n
  // m x n. It is NaN if beta is 0, to find kernels that read C or leave a part of it unwritten.
  std::vector<float> c;

  Size size() const { return {call.m, call.n, call.k}; }
  std::size_t rows_of_c() const { return call.batch_count * call.m; }
};

// Uniform in [-1, 1), the same for every run of the program.
HostData make_host_data(const SgemmCall& call);

// Returns true if the matrix in memory is the transpose of the one in HostData.
bool stored_transposed(Layout layout, Transpose transpose);

// The same matrices in the form of the caller's memory. Gaps are NaN (measuring/guards.hpp).
struct StoredMatrices {
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> c;
};
StoredMatrices as_stored(const HostData& data);

// Converts a C of that form to the form of HostData.
std::vector<float> c_as_row_major(const SgemmCall& call, std::vector<float> stored);

}  // namespace clgemm::bench
