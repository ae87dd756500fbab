// A kernel whose own arrays take more local memory than any device has. This is a separate program because a
// driver may end the process when it gets such a kernel (PoCL 3.1 does).
#include <algorithm>

#include <fmt/format.h>

#include "support/on_device.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

TEST_CASE("too much local memory that the manifest does not declare is refused before C is changed") {
  const TemporaryFolder folder;
  // NVIDIA's devices run static arrays of several times the size that they report, so twice the limit would
  // not be enough.
  const std::size_t elements =
      std::max<std::size_t>(8 * shared_device_info().local_bytes, 16 << 20) / sizeof(float);
  Options options;
  options.kernel = folder.write(
      "greedy.cl",
      fmt::format("// clgemm: greedy\n// summary: s\n// operands: in_place\n// tile: 1 1 1\n// local: 1 1\n"
                  "// grid: columns rows\n\n"
                  "__kernel void gemm(const int m, const int n, const int k, const float alpha,\n"
                  "  __global const float* a, const ulong a_offset, const ulong lda, const ulong a_stride,\n"
                  "  __global const float* b, const ulong b_offset, const ulong ldb, const ulong b_stride,\n"
                  "  const float beta, __global float* c, const ulong c_offset, const ulong ldc,\n"
                  "  const ulong c_stride) {{\n"
                  "  __local float tile[{0}];\n"
                  "  for (int i = 0; i < {0}; ++i) tile[(i * 7919) % {0}] = i;\n"
                  "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                  "  c[0] = tile[m % {0}];\n"
                  "}}\n",
                  elements));
  const float one = 1;
  float c = 7;
  const Thrown thrown = thrown_by([&] {
    shared_context().sgemm(Layout::row_major, Transpose::no, Transpose::no, 1, 1, 1, 1, &one, 1, &one, 1, 0,
                           &c, 1, options);
  });
  INFO(thrown.text);
  CHECK((thrown.code == ErrorCode::device_limit_exceeded || thrown.code == ErrorCode::build_failed));
  CHECK(contains(thrown.text, "greedy"));
  CHECK(c == 7);
}

}  // namespace
}  // namespace clgemm
