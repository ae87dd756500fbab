// Precompiled programs: which program a config finds, and what happens to damaged ones. clgemm-tune's test
// checks that they are those that a GPU needs, and the test made_up_platform that they are used.
#include "build/precompiled.hpp"

#include "build/decompress.hpp"
#include "support/elf.hpp"
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
  const std::string hash = precompiled_hash(config_of(head + "int one;\n  int two;\n"));
  CHECK(hash == precompiled_hash(config_of(
                    head + "\n#line 7 \"x.cl\"\nint one;\n\n  // a better comment\n    int two;\n")));
  CHECK(hash != precompiled_hash(config_of(head + "int one;\n  int three;\n")));
  CHECK(hash != precompiled_hash(config_of(head + "int one; int two;\n")));
}

TEST_CASE(
    "a line without code counts if a backslash joins it to another one, or if it ends a block comment") {
  const auto differ = [](const std::string& x, const std::string& y) {
    return precompiled_hash(config_of(head + "\n" + x)) != precompiled_hash(config_of(head + "\n" + y));
  };
  CHECK(differ("#define A 1 \\\n\n+ 2\n", "#define A 1 \\\n+ 2\n"));
  CHECK(differ("// a \\\nint x;\n", "int x;\n"));
  CHECK(differ("/* a\n// */ int x; /*\n*/\n", "/* a\n*/\n"));
}

TEST_CASE("parameters, macros, device, PTX target and register limit make a program another one") {
  const std::string source = "int one;\n";
  const KernelConfig config = config_of(head + source);
  const std::string hash = precompiled_hash(config);
  CHECK(hash != precompiled_hash(config_of(head + source, {{"SIDE", 8}})));
  CHECK(hash != precompiled_hash(with_macros(config, {{"TRANSPOSE_A", 1}})));
  Device other = test::made_up_h200();
  other.nvidia_sm = 89;
  CHECK(hash != precompiled_hash(configure(made_up_kernel(head + source), {}, other)));
  CHECK(hash != precompiled_hash(config_of(head + "// ptx: sm_90a\n" + source)));
  CHECK(hash != precompiled_hash(config_of(head + "// registers: 64\n" + source)));
}

TEST_CASE("the log of the assembler does not make a program another one") {
  Device verbose = test::made_up_h200();
  verbose.extensions = "cl_nv_compiler_options";
  REQUIRE(is_verbose(verbose));
  const KernelConfig config = configure(made_up_kernel(head), {}, verbose);
  CHECK(config.build_options != config_of(head).build_options);
  CHECK(precompiled_hash(config) == precompiled_hash(config_of(head)));
}

TEST_CASE("a file of programs is named after kernel and parameters, and an unknown kernel has none") {
  const KernelConfig config = config_of(head, {{"SIDE", 8}});
  CHECK(precompiled_file(config) == "mine-SIDE8.cubin.zst");
  CHECK(precompiled_program(config).binary.empty());
  CHECK(precompiled_version(config) == 0);
}

TEST_CASE("a damaged file has no programs") {
#ifdef CLGEMM_PRECOMPILED
  REQUIRE_FALSE(precompiled_programs().empty());
  std::string file(precompiled_programs().front().text);
  const std::string hash = decompressed(file).substr(precompiled_mark.size(), 16);
  const std::vector<unsigned char> whole = program_with(hash, file).binary;
  CHECK(test::is_cubin_for_hopper(std::string(whole.begin(), whole.end())));
  CHECK(program_with("another", file).binary.empty());
  CHECK(program_with(hash, file.substr(0, file.size() / 2)).binary.empty());
  CHECK(program_with(hash, {}).binary.empty());
  file[file.size() / 2] ^= 1;
  CHECK(program_with(hash, file).binary.empty());
#else
  WARN("NOT TESTED: clgemm was built without precompiled programs");
#endif
}

}  // namespace
}  // namespace clgemm
