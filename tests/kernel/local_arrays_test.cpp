// Finding the largest array in local memory that a kernel's text declares.
#include "kernel/local_arrays.hpp"

#include "kernel/kernel_source.hpp"
#include "support/catch.hpp"

namespace clgemm {
namespace {

TEST_CASE("the extents of arrays in local memory, by parameters, macros and numbers") {
  CHECK(largest_local_array("__local float tile[100];", {}) == 400);
  CHECK(largest_local_array("  local uchar3 x [ 7 ] ;", {}) == 28);
  CHECK(largest_local_array("__local float4 tile[ROWS][COLUMNS + 1];", {{"ROWS", 8}, {"COLUMNS", 16}}) ==
        2176);
  CHECK(largest_local_array("#define PITCH (TS + PAD)\n#define PAD 1\n__local float a[TS][PITCH];",
                            {{"TS", 16}}) == 1088);
  CHECK(largest_local_array("#define real double\n__local volatile real a[2 * (3 + 1)];", {}) == 64);
  CHECK(largest_local_array("__local int one[3], two[5], three;", {}) == 20);
  CHECK(largest_local_array("__local float a[10];\n__local float b[30];\n__local float c[20];", {}) == 120);
}

TEST_CASE("declarations that are not arrays, or have unknown sizes, count as 0") {
  for (const char* text : {"", "__local float* p = x[1000];", "void f(__local float* tile, int n[100]) {}",
                           "// __local float a[100];\n/* __local float b[100]; */", "__global float c[100];",
                           "__local float a[UNKNOWN];", "#define A B\n#define B A\n__local float a[A];",
                           "__local float a[1 << 20];", "__local float a[0 - 5];", "__local float a[];"}) {
    INFO(text);
    CHECK(largest_local_array(text, {}) == 0);
  }
}

TEST_CASE("the local memory found in the built-in kernels agrees with their names") {
  const auto largest = [](const char* name, const Parameters& values) {
    const SourceFile file = KernelFolders().find_kernel(name).value();
    return largest_local_array(expand_includes(file, KernelFolders()), values);
  };
  CHECK(largest("tiled.cl", {{"TS", 16}, {"TSK", 16}}) >= 16 * 16 * 4);
  CHECK(largest("tiled.cl", {{"TS", 16}, {"TSK", 16}}) < 2048);
  CHECK(largest("naive.cl", {}) == 0);
}

}  // namespace
}  // namespace clgemm
