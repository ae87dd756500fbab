// Finding the types of the arguments in a kernel's text, for the message about a launch that the device
// refuses.
#include "kernel/declared_arguments.hpp"

#include "support/catch.hpp"

namespace clgemm {
namespace {

// `scale` has the fewest arguments.
KernelFile file_with(const std::string& function) {
  KernelFile file;
  file.manifest.role = Role::scale;
  file.source = "#line 1 \"mine.cl\"\n// void scale(int none)\n" + function;
  return file;
}

TEST_CASE("an argument's declaration and line are found in the text") {
  const KernelFile file = file_with(
      "/* two\nlines */ float scaled(float x);\n__kernel void\n  scale (const int m, const int n,\n"
      "  float beta, // of the (old) C, say\n  __global float*  restrict c __attribute__((aligned(4, 4))),\n"
      "  const uint\n c_offset, ulong ldc, ulong c_stride) { other(1, 2); }\n");
  REQUIRE(declared_argument(file, 0));
  CHECK(declared_argument(file, 0)->text == "const int m");
  CHECK(declared_argument(file, 0)->place == "mine.cl:5");
  CHECK(declared_argument(file, 3)->text == "__global float* restrict c __attribute__((aligned(4, 4)))");
  CHECK(declared_argument(file, 4)->text == "const uint c_offset");
  CHECK(declared_argument(file, 4)->place == "mine.cl:8");
  CHECK(declared_argument(file, 6)->text == "ulong c_stride");
  CHECK_FALSE(declared_argument(file, 7));
}

TEST_CASE("arguments that the text alone does not tell are not made up") {
  for (const char* function :
       {"", "void scale", "void scale(", "void scale(int a, int b)", "int scale(int a)", "scale(1)",
        "void scale(int a,\n#ifdef X\nint b,\n#endif\nint c, int d, int e, int f, int g)"}) {
    INFO(function);
    CHECK_FALSE(declared_argument(file_with(function), 0));
  }
}

}  // namespace
}  // namespace clgemm
