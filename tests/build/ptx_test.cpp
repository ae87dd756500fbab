// PTX taken to the target that knows its instructions: on what the compiler made of one of our own kernels,
// and on text that is something else.
#include "build/ptx.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::contains;
using test::thrown_by;

const std::string small =
    ".version 8.8\n.target sm_90, texmode_independent\n.address_size 64\n.entry gemm() {\n\t//@@ "
    "wgmma.fence;\n\tret;\n}\n";

TEST_CASE("the target changes, and what was marked is no comment any more") {
  CHECK(retargeted_ptx(small, "sm_90a") ==
        ".version 8.8\n.target sm_90a, texmode_independent\n.address_size 64\n.entry gemm() {\n "
        "wgmma.fence;\n\tret;\n}\n");
}

TEST_CASE("a compiler that writes the wanted target already is welcome") {
  CHECK(retargeted_ptx(".target sm_90a\n//@@x", "sm_90a") == ".target sm_90a\nx");
}

TEST_CASE("PTX that is not understood is refused, with the reason") {
  const auto text_of = [](std::string_view ptx, std::string_view target) {
    const test::Thrown thrown = thrown_by([&] { retargeted_ptx(ptx, target); });
    CHECK(thrown.code == ErrorCode::build_failed);
    return thrown.text;
  };
  CHECK(contains(text_of(small, "sm_100a"), "'sm_90'"));
  CHECK(contains(text_of("", "sm_90a"), "0 lines '.target'"));
  CHECK(contains(text_of(std::string("\x7f"
                                     "ELF\0\0\n//@@ x",
                                     13),
                         "sm_90a"),
                 "0 lines '.target'"));
  CHECK(contains(text_of(".target sm_90\n.target sm_90\n//@@ x\n", "sm_90a"), "2 lines '.target'"));
  CHECK(contains(text_of(".target sm_90\nret;\n", "sm_90a"), "//@@"));
  CHECK(contains(text_of(".target sm_90\n//@@ x\nret; //@@ y\n", "sm_90a"), "inside a line"));
  CHECK(contains(text_of(".target\n//@@ x\n", "sm_90a"), "0 lines '.target'"));
}

TEST_CASE("the PTX of our own kernel is taken to its target, and nothing else changes") {
  std::ifstream file(CLGEMM_TEST_DATA "/bf16x6_wgmma.ptx");
  std::stringstream read;
  read << file.rdbuf();
  const std::string ptx = read.str();
  REQUIRE_FALSE(ptx.empty());
  const std::string result = retargeted_ptx(ptx, "sm_90a");
  CHECK_FALSE(contains(result, std::string(ptx_marker)));
  CHECK(contains(result, ".target sm_90a, texmode_independent\n"));

  // Line by line: the compiler's own lines stay, the marked ones begin to count.
  std::istringstream before(ptx);
  std::istringstream after(result);
  std::string old_line;
  std::string new_line;
  int multiplies = 0;
  while (std::getline(before, old_line)) {
    REQUIRE(std::getline(after, new_line));
    const std::size_t marker = old_line.find(ptx_marker);
    if (marker != std::string::npos) {
      CHECK(new_line == old_line.substr(marker + ptx_marker.size()));
      if (contains(new_line, "wgmma.mma_async.sync.aligned")) ++multiplies;
    } else if (!contains(old_line, ".target")) {
      CHECK(new_line == old_line);
    }
  }
  CHECK(multiplies == 6);
}

}  // namespace
}  // namespace clgemm
