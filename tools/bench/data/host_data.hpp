// The data of one multiply on the host, and the form it has in memory for the caller's layout and transposes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "call/problem.hpp"
#include "common/size.hpp"

namespace clgemm::bench {

// What is multiplied, apart from its size.
struct MultiplyKind {
  Layout layout = Layout::row_major;
  Transpose transpose_a = Transpose::no;
  Transpose transpose_b = Transpose::no;
  float alpha = 1.0f;
  float beta = 0.0f;
  std::size_t gap = 0;  // elements between the end of a row (or column) of each matrix and the next one
  std::size_t batch_count = 1;  // so many multiplies in one call, their matrices one behind the other

  bool operator==(const MultiplyKind&) const = default;
};

// One multiply of a run.
struct Case {
  Size size;
  MultiplyKind kind;
  std::string label;  // what it is, where the size does not say it: "BERT-base, feed-forward up, 128 tokens"
};

// Of all multiplies of its batch together.
double operations(const Case& one);

// The call with leading dimensions that leave such gaps.
SgemmCall call_of(const MultiplyKind& kind, const Size& size);

// What was asked for to get this call.
MultiplyKind kind_of(const SgemmCall& call);

// op(A), op(B) and C, each row-major without gaps: what a check wants to see, whatever the call's layout. The
// matrices of a batch lie one behind the other, so that C is one of batch_count * m rows.
struct HostData {
  SgemmCall call;
  std::vector<float> a;  // m x k, of each multiply
  std::vector<float> b;  // k x n
  std::vector<float> c;  // m x n; NaN where beta is 0, so that a kernel that reads C, or leaves a part
                         // of it unwritten, is found out

  Size size() const { return {call.m, call.n, call.k}; }
  std::size_t rows_of_c() const { return call.batch_count * call.m; }
};

// Uniform in [-1, 1), the same for every run of the program.
HostData make_host_data(const SgemmCall& call);

// Whether the matrix lies in memory as the transpose of what HostData holds.
bool stored_transposed(Layout layout, Transpose transpose);

// The same matrices in the form that they have in the caller's memory. Gaps are NaN (data/guards.hpp).
struct StoredMatrices {
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> c;
};
StoredMatrices as_stored(const HostData& data);

// A C of that form as HostData has it.
std::vector<float> c_as_row_major(const SgemmCall& call, std::vector<float> stored);

}  // namespace clgemm::bench
