#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "actions/actions.hpp"
#include "base/error.hpp"
#include "base/files.hpp"

namespace clgemm::bench {
namespace {

constexpr const char* name_mark = "@NAME@";

constexpr const char* kernel_template = R"(// clgemm: @NAME@
// summary: what your kernel does, in one line
// operands: in_place
// param: ROWS = 8 in 4 8 16
// param: COLUMNS = 16 in 8 16 32
// tile: ROWS COLUMNS 1
// local: COLUMNS ROWS
// grid: columns rows

// The lines above are the manifest: from them clgemm knows how to launch the kernel. An empty line ends it.
//   operands  `in_place`: A and B as the caller has them, maybe transposed; you keep inside m, n and k.
//             `padded`: op(A) and op(B) row-major, zero-padded to whole tiles; you may read whole tiles.
//   param     a macro, its default and the values it may have: clgemm-bench --kernel FILE --param ROWS=16
//   tile      rows and columns of C that one work-group computes, and the step along k
//   local     work-group size; grid: what dimension 0 and dimension 1 count (tiles of columns, tiles of rows)
//   require   add lines such as `// require: ROWS * COLUMNS <= 256` for what must hold
// kernels/README.md is the whole contract.

#include "common/in_place.cl"
#include "common/store.cl"

// These arguments, in this order. Row r of a matrix begins at r * ld; all counts are elements. Dimension 2 of the
// launch counts the matrices of a batch, which lie a stride apart.
__kernel __attribute__((reqd_work_group_size(COLUMNS, ROWS, 1)))
void gemm(const int m, const int n, const int k, const float alpha,
          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong a_stride,
          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong b_stride,
          const float beta, __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride) {
  const size_t batch = get_global_id(2);
  a += a_offset + batch * a_stride;
  b += b_offset + batch * b_stride;
  c += c_offset + batch * c_stride;

  const int column = get_global_id(0);
  const int row = get_global_id(1);
  if (row >= m || column >= n) return;

  float sum = 0.0f;
  for (int depth = 0; depth < k; ++depth) {
    sum = MULTIPLY_ADD(element_of_a(a, lda, row, depth), element_of_b(b, ldb, depth, column), sum);
  }

  // C <- alpha * sum + beta * C, only inside C; beta == 0 does not read C.
  store_c(c, ldc, m, n, row, column, alpha, sum, beta);
}
)";

// Makes a name that the manifest accepts from the name of any file.
std::string kernel_name(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, "kernel_");
  return name;
}

}  // namespace

bool write_new_kernel(std::ostream& /*out*/, const BenchOptions& options) {
  const std::string& path = options.new_kernel;
  std::string text = kernel_template;
  text.replace(text.find(name_mark), std::string(name_mark).size(), kernel_name(path));
  const std::error_code failure = create_file(path, text);
  if (!failure) return true;
  throw Error(ErrorCode::invalid_argument,
              "'" + path +
                  (failure == std::errc::file_exists ? "' exists already and was not changed"
                                                     : "' cannot be written: " + failure.message()));
}

}  // namespace clgemm::bench
