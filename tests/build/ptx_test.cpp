// Changes the target of PTX to one that knows its instructions, for the compiler's output of our own kernels,
// and for other texts.
#include "build/ptx.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::contains;
using test::thrown_by;

const std::string small =
    ".version 8.8\n.target sm_90, texmode_independent\n.address_size 64\n.entry gemm() {\n\t//@@ "
    "wgmma.fence;\n\tret;\n}\n";

TEST_CASE("the target is changed, and marked comments become code") {
  CHECK(retargeted_ptx(small, "sm_90a") ==
        ".version 8.8\n.target sm_90a, texmode_independent\n.address_size 64\n.entry gemm() {\n "
        "wgmma.fence;\n\tret;\n}\n");
}

TEST_CASE("a compiler that already writes the wanted target is accepted") {
  CHECK(retargeted_ptx(".target sm_90a\n//@@x", "sm_90a") == ".target sm_90a\nx");
}

TEST_CASE("unexpected PTX is refused, with the reason") {
  const auto text_of = [](std::string_view ptx, std::string_view target) {
    const test::Thrown thrown = thrown_by([&] { retargeted_ptx(ptx, target); });
    CHECK(thrown.code == ErrorCode::build_failed);
    return thrown.text;
  };
  CHECK(contains(text_of(small, "sm_100a"), "'sm_90'"));
  CHECK(contains(text_of("", "sm_90a"), "0 '.target' lines"));
  CHECK(contains(text_of(std::string("\x7f"
                                     "ELF\0\0\n//@@ x",
                                     13),
                         "sm_90a"),
                 "0 '.target' lines"));
  CHECK(contains(text_of(".target sm_90\n.target sm_90\n//@@ x\n", "sm_90a"), "2 '.target' lines"));
  CHECK(contains(text_of(".target sm_90\nret;\n", "sm_90a"), "//@@"));
  CHECK(contains(text_of(".target sm_90\n//@@ x\nret; //@@ y\n", "sm_90a"), "in the middle of a line"));
  CHECK(contains(text_of(".target\n//@@ x\n", "sm_90a"), "0 '.target' lines"));
}

TEST_CASE("registers are limited only if exactly one kernel declares a work-group size") {
  const std::string sized = ".entry gemm(\n)\n.reqntid 128, 1, 1\n{\n\tret;\n}\n";
  CHECK(limited_ptx(sized, 168) == ".entry gemm(\n)\n.maxnreg 168\n.reqntid 128, 1, 1\n{\n\tret;\n}\n");
  CHECK(limited_ptx(small, 168) == small);
  CHECK(limited_ptx(sized + sized, 168) == sized + sized);
}

// Returns what NVIDIA's driver compiled from our own kernels, by name. Those that need a target of their own
// have marks.
std::map<std::string, std::string> recorded_ptx() {
  std::map<std::string, std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(CLGEMM_TEST_DATA)) {
    if (entry.path().extension() != ".ptx") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    result[entry.path().stem().string()] = text.str();
  }
  return result;
}

// Checks line by line that the compiler's own lines stay and the marked ones take effect. Counts the
// multiplications among the latter.
int marked_gemms(const std::string& ptx, const std::string& result) {
  std::istringstream before(ptx);
  std::istringstream after(result);
  std::string old_line;
  std::string new_line;
  int gemms = 0;
  while (std::getline(before, old_line)) {
    REQUIRE(std::getline(after, new_line));
    const std::size_t marker = old_line.find(ptx_marker);
    if (marker != std::string::npos) {
      CHECK(new_line == old_line.substr(marker + ptx_marker.size()));
      if (contains(new_line, "wgmma.mma_async.sync.aligned")) ++gemms;
    } else if (!contains(old_line, ".target")) {
      CHECK(new_line == old_line);
    }
  }
  CHECK_FALSE(std::getline(after, new_line));
  return gemms;
}

TEST_CASE("only the target changes in the PTX of our own kernels") {
  int gemms = 0;
  for (const auto& [kernel, ptx] : recorded_ptx()) {
    INFO(kernel);
    // The limit is inserted before the size of a work-group, and nowhere else.
    const std::string limit = ".maxnreg 168\n";
    std::string limited = limited_ptx(ptx, 168);
    REQUIRE(contains(limited, limit + ".reqntid "));
    CHECK(limited.erase(limited.find(limit), limit.size()) == ptx);
    const auto retarget = [&text = ptx] { return retargeted_ptx(text, "sm_90a"); };
    if (!contains(ptx, std::string(ptx_marker))) {  // a kernel that runs with the compiler's target
      CHECK_ERROR(retarget, build_failed, "//@@");
      continue;
    }
    const std::string result = retarget();
    CHECK_FALSE(contains(result, std::string(ptx_marker)));
    CHECK(contains(result, ".target sm_90a, texmode_independent\n"));
    gemms += marked_gemms(ptx, result);
  }
  CHECK(gemms > 0);
}

}  // namespace
}  // namespace clgemm
