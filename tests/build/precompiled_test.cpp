// Precompiled programs: which program a config finds, and what happens to damaged ones. clgemm-tune's test
// checks that they are those that a GPU needs, and the test made_up_platform that they are used.
#include "build/precompiled.hpp"

#include "support/made_up.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::made_up_kernel;

const std::string head =
    "// clgemm: mine\n// summary: s\n// operands: in_place\n// param: SIDE = 4 in 4 8\n// tile: SIDE SIDE 1\n"
    "// local: SIDE SIDE\n// grid: columns rows\n";

KernelConfig config_of(const std::string& source, const Parameters& values = {}) {
  return configure(made_up_kernel(source), values, test::made_up_h200());
}

TEST_CASE("comments, empty lines and places of includes do not make a program another one") {
  const std::string mark = precompiled_mark(config_of(head + "int one;\n  int two;\n"));
  CHECK(mark == precompiled_mark(config_of(
                    head + "\n#line 7 \"x.cl\"\nint one;\n\n  // a better comment\n    int two;\n")));
  CHECK(mark != precompiled_mark(config_of(head + "int one;\n  int three;\n")));
  CHECK(mark != precompiled_mark(config_of(head + "int one; int two;\n")));
}

TEST_CASE(
    "a line without code counts if a backslash joins it to another one, or if it ends a block comment") {
  const auto differ = [](const std::string& x, const std::string& y) {
    return precompiled_mark(config_of(head + "\n" + x)) != precompiled_mark(config_of(head + "\n" + y));
  };
  CHECK(differ("#define A 1 \\\n\n+ 2\n", "#define A 1 \\\n+ 2\n"));
  CHECK(differ("// a \\\nint x;\n", "int x;\n"));
  CHECK(differ("/* a\n// */ int x; /*\n*/\n", "/* a\n*/\n"));
}

TEST_CASE("parameters, macros, device, PTX target and register limit make a program another one") {
  const std::string source = "int one;\n";
  const KernelConfig config = config_of(head + source);
  const std::string mark = precompiled_mark(config);
  CHECK(mark != precompiled_mark(config_of(head + source, {{"SIDE", 8}})));
  CHECK(mark != precompiled_mark(with_macros(config, {{"TRANSPOSE_A", 1}})));
  Device other = test::made_up_h200();
  other.nvidia_sm = 89;
  CHECK(mark != precompiled_mark(configure(made_up_kernel(head + source), {}, other)));
  CHECK(mark != precompiled_mark(config_of(head + "// ptx: sm_90a\n" + source)));
  CHECK(mark != precompiled_mark(config_of(head + "// registers: 64\n" + source)));
}

TEST_CASE("the log of the assembler does not make a program another one") {
  Device verbose = test::made_up_h200();
  verbose.extensions = "cl_nv_compiler_options";
  REQUIRE(is_verbose(verbose));
  const KernelConfig config = configure(made_up_kernel(head), {}, verbose);
  CHECK(config.build_options != config_of(head).build_options);
  CHECK(precompiled_mark(config) == precompiled_mark(config_of(head)));
}

TEST_CASE("a file of programs is named after kernel and parameters, and an unknown kernel has none") {
  const KernelConfig config = config_of(head, {{"SIDE", 8}});
  CHECK(precompiled_file(config) == "mine-SIDE8.ptx.zst");
  CHECK(precompiled_ptx(config).empty());
}

TEST_CASE("a damaged file has no programs") {
#ifdef CLGEMM_PRECOMPILED
  REQUIRE_FALSE(precompiled_programs().empty());
  std::string file(precompiled_programs().front().text);
  const std::string mark(precompiled_mark_begin);
  CHECK_FALSE(ptx_behind(mark, file).empty());
  CHECK(ptx_behind("// another ", file).empty());
  CHECK(ptx_behind(mark, file.substr(0, file.size() / 2)).empty());
  CHECK(ptx_behind(mark, {}).empty());
  file[file.size() / 2] ^= 1;
  CHECK(ptx_behind(mark, file).empty());
#else
  WARN("NOT TESTED: clgemm was built without precompiled programs");
#endif
}

TEST_CASE("PTX is kept for older drivers, too, and without what follows its text") {
  using namespace std::string_literals;
  const std::string kept = "// made up\n.version 8.0\n.target sm_90\n";
  CHECK(ptx_to_keep("// made up\n.version 9.0\n.target sm_90\n\0\0"s) == kept);
  CHECK(ptx_to_keep(kept) == kept);
  const std::string masked =
      "// made up\n.version 9.0\n\t.pragma \"used_bytes_mask 15\";\n.target sm_90\n\t.pragma "
      "\"used_bytes_mask 240\";\n";
  CHECK(ptx_to_keep(masked) == kept);
  CHECK_ERROR(
      [] {
        ptx_to_keep(
            "\x7f"
            "ELF");
      },
      build_failed, "is no PTX");
}

}  // namespace
}  // namespace clgemm
