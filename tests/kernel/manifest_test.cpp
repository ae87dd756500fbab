// The manifest at the head of a kernel file.
#include "kernel/manifest_parser.hpp"

#include <fmt/format.h>

#include <string>

#include "support/thrown.hpp"

namespace clgemm {
namespace {

// A valid manifest. The tests below refer to its line numbers.
const std::string good =
    "// clgemm: mine\n"                         // 1
    "// summary: does it all\n"                 // 2
    "// operands: padded\n"                     // 3
    "// param: TS = 16 in 8 16 32\n"            // 4
    "// param: WIDTH = 4 in 4 8  a remark\n"    // 5
    "// variant: mine8 WIDTH=8 TS=32\n"         // 6
    "// tile: TS 2*TS WIDTH   rows, columns\n"  // 7
    "// local: TS/WIDTH TS\n"                   // 8
    "// grid: columns rows\n"                   // 9
    "// align: WIDTH\n"                         // 10
    "// require: TS % WIDTH == 0\n"             // 11
    "// require: 4*TS*TS <= local_bytes\n";     // 12

Manifest parse(const std::string& text) {
  return parse_manifest(text, "mine.cl");
}

// Returns `good` with one line replaced, or removed if the replacement is empty.
std::string with_line(int number, const std::string& replacement) {
  std::string result;
  std::size_t start = 0;
  for (int line = 1; start < good.size(); ++line) {
    const std::size_t end = good.find('\n', start) + 1;
    if (line != number) result += good.substr(start, end - start);
    if (line == number && !replacement.empty()) result += replacement + "\n";
    start = end;
  }
  return result;
}

std::int64_t value_of(const Manifest::Rule& rule, std::int64_t ts, std::int64_t width) {
  return rule.expression.evaluate([&](const std::string& name) { return name == "TS" ? ts : width; });
}

TEST_CASE("every key is read") {
  const Manifest manifest = parse(good + "\n// free: text\n");
  CHECK(manifest.name == "mine");
  CHECK(manifest.role == Role::gemm);
  CHECK(manifest.summary == "does it all");
  CHECK(manifest.operands == "padded");
  REQUIRE(manifest.parameters.size() == 2);
  CHECK(manifest.parameters[0].name == "TS");
  CHECK(manifest.parameters[0].default_value == 16);
  CHECK(manifest.parameters[0].values == std::vector<std::int64_t>{8, 16, 32});
  CHECK(manifest.parameters[0].line == 4);
  CHECK(manifest.parameters[1].values == std::vector<std::int64_t>{4, 8});
  REQUIRE(manifest.variants.size() == 1);
  CHECK(manifest.variants[0].values == Parameters{{"TS", 32}, {"WIDTH", 8}});
  CHECK(value_of(manifest.tile_rows, 16, 4) == 16);
  CHECK(value_of(manifest.tile_columns, 16, 4) == 32);
  CHECK(value_of(manifest.tile_depth, 16, 4) == 4);
  REQUIRE(manifest.local.size() == 2);
  CHECK(value_of(manifest.local[0], 16, 4) == 4);
  CHECK(value_of(manifest.local[1], 16, 4) == 16);
  CHECK(manifest.grid == std::vector<GridAxis>{GridAxis::columns, GridAxis::rows});
  CHECK(value_of(manifest.align, 16, 4) == 4);
  REQUIRE(manifest.requirements.size() == 2);
  CHECK(manifest.requirements[1].line == 12);
  CHECK(manifest.find_parameter("TS") == &manifest.parameters[0]);
  CHECK(manifest.find_parameter("XX") == nullptr);
  CHECK(manifest.find_variant("mine8") == &manifest.variants[0]);
  CHECK(manifest.find_variant("mine") == nullptr);
}

TEST_CASE("by default align is 1, one dimension is enough, and parameters are not needed") {
  const Manifest manifest = parse(
      "// clgemm: m\n// summary: s\n// operands: in_place\n// tile: 1 64 1\n// local: 64\n// grid: rows\n");
  CHECK(value_of(manifest.align, 0, 0) == 1);
  CHECK(manifest.grid == std::vector<GridAxis>{GridAxis::rows});
  CHECK(manifest.parameters.empty());
}

TEST_CASE("helpers have a role and no operands") {
  const std::string helper =
      "// clgemm: p\n// role: pack\n// summary: s\n// tile: 8 8 1\n// local: 8 8\n// grid: columns rows\n";
  CHECK(parse(helper).role == Role::pack);
  CHECK_ERROR([&] { parse(helper + "// operands: in_place\n"); }, invalid_kernel_file, "mine.cl:1:");
}

TEST_CASE("lines may end in carriage returns, and the file may end with the manifest") {
  std::string text;
  for (const char c : good) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  text.resize(text.size() - 2);
  CHECK(parse(text).requirements.size() == 2);
}

TEST_CASE("the manifest ends at the first line that does not belong to it") {
  for (const char* end : {"\n", "//\n", "#define X\n", "__kernel\n"}) {
    CHECK(parse(good + end + "// nonsense\n// tile: 1 1 1\n").parameters.size() == 2);
  }
}

TEST_CASE("a bad manifest is refused with file, line and text") {
  struct Case {
    int line;                 // the line that is replaced
    std::string replacement;  // if empty, the line is removed
    std::string place;        // in the message
    std::string part;         // in the message
  };
  for (const Case& c :
       std::vector<Case>{{1, "int x;", "mine.cl:1:", "clgemm: NAME"},
                         {1, "", "mine.cl:1:", "clgemm: NAME"},
                         {1, "// clgemm: not-a-name", "mine.cl:1:", "not-a-name"},
                         {2, "", "mine.cl:1:", "'summary'"},
                         {2, "// summary:", "mine.cl:2:", "value"},
                         {2, "// no key", "mine.cl:2:", "key: value"},
                         {2, "// sumary: x", "mine.cl:2:", "unknown key"},
                         {3, "", "mine.cl:1:", "'operands'"},
                         {3, "// operands: ../x", "mine.cl:3:", "../x"},
                         {3, "// operands: in_place TS=8", "mine.cl:3:", "in place"},
                         {3, "// operands: form TS", "mine.cl:3:", "PARAMETER=expression"},
                         {3, "// operands: form T=1 T=2", "mine.cl:3:", "twice"},
                         {3, "// operands: form T=local_bytes", "mine.cl:3:", "local_bytes"},
                         {3, "// role: dance", "mine.cl:3:", "dance"},
                         {4, "// param: TS 16 in 8", "mine.cl:4:", "NAME = default in"},
                         {4, "// param: TS = 16", "mine.cl:4:", "NAME = default in"},
                         {4, "// param: TS = 16 of 8 16", "mine.cl:4:", "NAME = default in"},
                         {4, "// param: TS is 16 in 8 16", "mine.cl:4:", "NAME = default in"},
                         {4, "// param: TS = 5 in 8 16", "mine.cl:4:", "default"},
                         {4, "// param: TS = 16 in 16 big", "mine.cl:4:", "'big'"},
                         {4, "// param: TS = 16 in 16 99999999999999999999", "mine.cl:4:", "integer"},
                         {4, "// param: 2TS = 16 in 16", "mine.cl:4:", "2TS"},
                         {4, "// param: local_bytes = 16 in 16", "mine.cl:4:", "local_bytes"},
                         {5, "// param: TS = 4 in 4", "mine.cl:5:", "TS"},
                         {6, "// variant: mine8", "mine.cl:6:", "PARAMETER=value"},
                         {6, "// variant: mine8 WIDTH", "mine.cl:6:", "WIDTH"},
                         {6, "// variant: 8mine WIDTH=8", "mine.cl:6:", "PARAMETER=value"},
                         {6, "// variant: mine8 DEPTH=8", "mine.cl:6:", "DEPTH"},
                         {6, "// variant: mine8 WIDTH=16", "mine.cl:6:", "WIDTH=16"},
                         {6, "// variant: mine WIDTH=8", "mine.cl:6:", "already used"},
                         {7, "", "mine.cl:1:", "'tile'"},
                         {7, "// tile: TS TS", "mine.cl:7:", "three expressions"},
                         {7, "// tile: TS TS TS TS", "mine.cl:7:", "three expressions"},
                         {7, "// tile: TS TS )", "mine.cl:7:", "expected"},
                         {7, "// tile: TS TS DEPTH", "mine.cl:7:", "DEPTH"},
                         {7, "// tile: TS TS local_bytes", "mine.cl:7:", "local_bytes"},
                         {7, "// tile: TS*TRANSPOSE_A TS TS", "mine.cl:7:", "TRANSPOSE_A"},
                         {8, "", "mine.cl:1:", "'local'"},
                         {8, "// local: TS", "mine.cl:8:", "same number of dimensions"},
                         {8, "// local: TS TS 1", "mine.cl:8:", "one or two"},
                         {9, "", "mine.cl:1:", "'grid'"},
                         {9, "// grid: columns depth", "mine.cl:9:", "depth"},
                         {9, "// grid: rows rows", "mine.cl:9:", "rows rows"},
                         {10, "// shares: 4", "mine.cl:10:", "two expressions"},
                         {10, "// shares: 4 local_bytes", "mine.cl:10:", "local_bytes"},
                         {10, "// align: 4 4", "mine.cl:10:", "expected an operator or the end"},
                         {10, "// opencl: 2", "mine.cl:10:", "expected 1.2, 2.0, 3.0"},
                         {10, "// into_local: local_bytes", "mine.cl:10:", "local_bytes"},
                         {10, "// matrix_units: fp32", "mine.cl:1:", "no 'products'"},
                         {10, "// matrix_units: fp64", "mine.cl:10:", "16_bit, tf32 or fp32"},
                         {10, "// runs_anywhere: TS: 9", "mine.cl:10:", "TS=9"},
                         {10, "// keeps: warp_size", "mine.cl:10:", "warp_size"},
                         {11, "// require: extension(cl khr)", "mine.cl:11:", "expected a word and ')'"},
                         {11, "// require: extension()", "mine.cl:11:", "expected a word and ')'"},
                         {11, "// require: extension(x", "mine.cl:11:", "expected a word and ')'"},
                         {11, "// require: feature(x)", "mine.cl:11:", "unknown name"},
                         {11, "// require: extension", "mine.cl:11:", "the known names are"},
                         {11, "// require: TS(8)", "mine.cl:11:", "unknown name"},
                         {10, "// align: arch(gfx90a)", "mine.cl:10:", "unknown name"},
                         {10, "// vector: local_bytes", "mine.cl:10:", "local_bytes"},
                         {10, "// calibrate_if: is_gpu", "mine.cl:10:", "is_gpu"},
                         {10, "// persistent: 1", "mine.cl:10:", "needs a grid of tiles"},
                         {10, "// persistent: TS %", "mine.cl:10:", "TS %"},
                         {10, "// registers: TS %", "mine.cl:10:", "TS %"},
                         {10, "// registers: local_bytes", "mine.cl:10:", "local_bytes"},
                         {10, "// precision: fp8", "mine.cl:10:", "fp32_equivalent"},
                         {10, "// least_k: 0", "mine.cl:10:", "of at least 1"},
                         {10, "// most_k: 0", "mine.cl:10:", "of at least 1"},
                         {10, "// most_rows: 0", "mine.cl:10:", "of at least 1"},
                         {10, "// most_columns: few", "mine.cl:10:", "few"},
                         {10, "// fallback: a-b", "mine.cl:10:", "name of a kernel"},
                         {10, "// fallback: other TS", "mine.cl:10:", "PARAMETER=expression"},
                         {10, "// fallback: other 2T=TS", "mine.cl:10:", "PARAMETER=expression"},
                         {10, "// fallback: other T=TS %", "mine.cl:10:", "PARAMETER=expression"},
                         {10, "// fallback: other T=TS%", "mine.cl:10:", "TS%"},
                         {10, "// fallback: other T=local_bytes", "mine.cl:10:", "local_bytes"},
                         {10, "// fallback: other T=TS T=1", "mine.cl:10:", "twice"},
                         {10, "// range_notes: 0", "mine.cl:10:", "number from 1 to"},
                         {10, "// range_notes: 9999999", "mine.cl:10:", "number from 1 to"},
                         {10, "// ptx: sm-90", "mine.cl:10:", "a PTX target"},
                         {11, "// tile: 1 1 1", "mine.cl:11:", "twice"},
                         {11, "// require: TS %", "mine.cl:11:", "TS %"},
                         {11, "// require: TS <= warp_size", "mine.cl:11:", "warp_size"}}) {
    INFO(c.line << ": " << c.replacement);
    const test::Thrown thrown = test::thrown_by([&] { parse(with_line(c.line, c.replacement)); });
    INFO(thrown.text);
    CHECK(thrown.code == ErrorCode::invalid_kernel_file);
    CHECK(thrown.text.rfind(c.place, 0) == 0);
    CHECK(test::contains(thrown.text, c.part));
  }
}

TEST_CASE("shares are read, and need a grid of two dimensions") {
  CHECK_FALSE(parse(good).takes_shares());
  const Manifest manifest = parse(with_line(10, "// shares: WIDTH TS"));
  CHECK(manifest.takes_shares());
  CHECK(manifest.share_rows.expression.text() == "WIDTH");
  CHECK(manifest.share_columns.expression.text() == "TS");
  CHECK_ERROR(
      [] {
        parse(
            "// clgemm: mine\n// summary: s\n// operands: in_place\n// tile: 1 1 1\n// shares: 1 1\n// "
            "local: "
            "1\n"
            "// grid: tiles\n");
      },
      invalid_kernel_file, "mine.cl:5:");
}

TEST_CASE("the matrices of a work-group are read, for kernels that read in place") {
  CHECK_FALSE(parse(good).takes_lists());
  const std::string head = "// clgemm: mine\n// summary: s\n// tile: 1 1 1\n// local: 1\n// grid: tiles\n";
  const Manifest manifest = parse(head + "// operands: in_place\n// param: N = 4 in 2 4\n// batch: 2*N\n");
  CHECK(manifest.takes_lists());
  CHECK(manifest.matrices.expression.text() == "2*N");
  const auto fails = [&head](const std::string& more, const char* text) {
    CHECK_ERROR([&] { parse(head + more); }, invalid_kernel_file, text);
  };
  fails("// operands: padded\n// batch: 1\n", "mine.cl:7:");
  fails("// operands: in_place\n// batch: 1 2\n", "mine.cl:7:");
  fails("// operands: in_place\n// batch: M\n", "mine.cl:7:");
  fails("// role: scale\n// batch: 1\n", "only a kernel with 'role: multiply' has 'batch'");
}

TEST_CASE("a kernel on planes may read one operand in place, and then add up the slices of k") {
  CHECK_FALSE(parse(good).keeps_one());
  const std::string head =
      "// clgemm: mine\n// summary: s\n// operands: form\n// param: SWAP = 0 in 0 1\n// tile: 1 1 1\n"
      "// local: 1\n// grid: tiles\n";
  const Manifest manifest = parse(head + "// unpacked: 1+SWAP\n// fallback: other\n// adds_parts: 1\n");
  CHECK(manifest.keeps_one());
  CHECK(manifest.kept.expression.text() == "1+SWAP");
  CHECK(manifest.kept.line == 8);
  CHECK(manifest.takes_slices());
  CHECK_FALSE(parse(head + "// fallback: other\n").keeps_one());
  const auto fails = [&head](const std::string& more, const char* text) {
    CHECK_ERROR([&] { parse(head + more); }, invalid_kernel_file, text);
  };
  fails("// unpacked: 1\n", "mine.cl:8: 'mine': only a kernel with 'fallback' has 'unpacked'");
  fails("// fallback: other\n// adds_parts: 1\n",
        "mine.cl:9: 'form': only a kernel with 'operands: in_place' or with 'unpacked' has 'adds_parts'");
  fails("// fallback: other\n// unpacked: 1 2\n", "mine.cl:9:");
  fails("// fallback: other\n// unpacked: 1+WHICH\n", "mine.cl:9:");
  fails("// fallback: other\n// unpacked: is_cpu\n", "mine.cl:9:");
  CHECK_ERROR(
      [] {
        parse(
            "// clgemm: mine\n// role: scale\n// summary: s\n// tile: 1 1 1\n// local: 1\n// grid: tiles\n"
            "// unpacked: 1\n");
      },
      invalid_kernel_file, "mine.cl:");
}

std::vector<Parameters> configs_of(const std::string& lines) {
  std::vector<Parameters> result;
  for (const Manifest::Values& one : parse(good + lines).calibrated) result.push_back(one.values);
  return result;
}

TEST_CASE("configs to calibrate are listed as groups, whose values are combined, or are the defaults") {
  using Configs = std::vector<Parameters>;
  CHECK(configs_of("").empty());
  CHECK(configs_of("// calibrate: defaults  a remark\n") == Configs{{}});
  CHECK(configs_of("// calibrate: TS WIDTH: 8 4, 32 8\n") ==
        Configs{{{"TS", 8}, {"WIDTH", 4}}, {{"TS", 32}, {"WIDTH", 8}}});
  CHECK(configs_of("// calibrate: TS: 8, 16; WIDTH: 4, 8\n// calibrate: TS: 32\n") ==
        Configs{{{"TS", 8}, {"WIDTH", 4}},
                {{"TS", 8}, {"WIDTH", 8}},
                {{"TS", 16}, {"WIDTH", 4}},
                {{"TS", 16}, {"WIDTH", 8}},
                {{"TS", 32}}});
  CHECK(parse(good + "// calibrate: TS: 8\n").calibrated.front().line == 13);
}

TEST_CASE("a list of configs that is wrong is refused with file, line and what was found") {
  const auto fails = [](const std::string& list, const std::string& text) {
    CHECK_ERROR([&] { parse(good + "// calibrate: " + list + "\n"); }, invalid_kernel_file,
                "mine.cl:13: " + text);
  };
  fails("TS 8", "'TS 8': expected 'defaults' or 'NAME ...: value ..., value ...'");
  fails(": 8", "': 8': expected 'defaults' or");
  fails("TS: 8;", "'': expected 'defaults' or");
  fails("TS: 8, ", "'': expected 1 values, for TS");
  fails("TS WIDTH: 8", "'8': expected 2 values, for TS WIDTH");
  fails("TS: many", "'many': expected an integer");
  fails("TS: 8; TS: 16", "'TS': this parameter appears twice");
  fails("TS TS: 8 8", "'TS': this parameter appears twice");
  fails("DEPTH: 8", "'DEPTH': the kernel has no such parameter");
  fails("TS: 12", "'TS=12': TS must be one of 8 16 32");
  fails("TS: 8, 16, 8", "'TS=8': 'calibrate' has this config twice");
  std::string many = "TS: 8";
  for (int i = 0; i < 40; ++i) many += ", 8";
  fails(many + "; WIDTH" + many.substr(2),
        "'" + many + "; WIDTH" + many.substr(2) + "': expected 1000 configs at most");
}

TEST_CASE("an empty file has no manifest") {
  CHECK_ERROR([] { parse(""); }, invalid_kernel_file, "mine.cl:1:");
}

TEST_CASE("two variants with the same name are refused") {
  CHECK_ERROR([] { parse(good + "// variant: mine8 WIDTH=4\n"); }, invalid_kernel_file, "mine.cl:13:");
}

}  // namespace
}  // namespace clgemm
