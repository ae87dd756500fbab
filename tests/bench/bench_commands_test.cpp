// The functions of clgemm-bench for authors of kernels: a template that passes, the location of wrong
// elements, watching a file, the plan in words, the cache.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "actions/actions.hpp"
#include "common/error_bound.hpp"
#include "kernel/kernel_file.hpp"
#include "kernel/kernel_source.hpp"
#include "measuring/diagnosis.hpp"
#include "running/why.hpp"
#include "support/catch.hpp"
#include "support/kernel_text.hpp"
#include "support/llvmpipe.hpp"
#include "support/program.hpp"
#include "support/temporary.hpp"

using namespace clgemm::bench;

namespace {

struct Finished {
  int status;
  std::string text;  // both output streams
};

Finished run(const std::string& command) {
  const clgemm::test::Finished finished = clgemm::test::run_program(command);
  return {finished.status, finished.out + finished.err};
}

Finished bench(const std::string& arguments) {
  return run(fmt::format("'{}' {}", CLGEMM_BENCH_PROGRAM, arguments));
}

bool has(const std::string& text, const std::vector<std::string>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&text](const std::string& part) { return text.find(part) != std::string::npos; });
}

void write_new_kernel(const std::string& path) {
  BenchOptions options;
  options.new_kernel = path;
  std::ostringstream out;
  clgemm::bench::write_new_kernel(out, options);
}

// Returns all indices below `extent`.
std::vector<std::size_t> all_below(std::size_t extent) {
  std::vector<std::size_t> indices(extent);
  for (std::size_t i = 0; i < extent; ++i) indices[i] = i;
  return indices;
}

// A 20 x 30 result of a kernel with tiles of 8 x 8, all elements compared.
const CheckedGrid grid{all_below(20), all_below(30), 20, 30, {8, 8}};

// Returns the elements for which `is_wrong` is true.
template <class Predicate>
std::string pattern_where(const Predicate& is_wrong) {
  std::vector<Element> wrong;
  for (const std::size_t row : grid.rows) {
    for (const std::size_t column : grid.columns) {
      if (is_wrong(row, column)) wrong.push_back({row, column});
    }
  }
  return pattern_of(wrong, grid);
}

}  // namespace

TEST_CASE("the pattern of wrong elements is named") {
  CHECK(pattern_where([](auto, auto) { return true; }) == "every element");
  CHECK(has(pattern_where([](auto row, auto column) { return row != 3 || column != 4; }),
            {"nearly every element"}));
  CHECK(pattern_where([](auto row, auto column) { return row == 3 && column == 4; }) == "one element");
  CHECK(has(pattern_where([](auto row, auto column) { return row >= 17 && column < 9; }),
            {"last, incomplete tile of rows, 16 to 19"}));
  CHECK(has(pattern_where([](auto, auto column) { return column >= 24; }),
            {"last, incomplete tile of columns, 24 to 29"}));
  CHECK(pattern_where([](auto row, auto) { return row == 5; }) == "one row, 5");
  CHECK(pattern_where([](auto row, auto column) { return column == 7 && row < 9; }) == "one column, 7");
  CHECK(has(
      pattern_where([](auto row, auto column) { return row / 8 == 1 && column / 8 == 2 && row != column; }),
      {"one tile of 8 x 8, at row 8, column 16"}));
  CHECK(has(pattern_where([](auto row, auto column) { return (row / 8 + column / 8) % 2 == 0; }),
            {"whole tiles of 8 x 8"}));
  CHECK(pattern_where([](auto row, auto) { return row % 3 == 0; }) == "whole rows, those r with r mod 3 = 0");
  CHECK(pattern_where([](auto row, auto) { return row % 8 == 2 || row % 8 == 7; }) ==
        "whole rows, those r with r mod 8 = 2, 7");
  CHECK(pattern_where([](auto row, auto) { return row < 6 || row == 9; }) == "whole rows, 7 of them");
  CHECK(pattern_where([](auto, auto column) { return column % 4 == 1; }) ==
        "whole columns, those r with r mod 4 = 1");
  CHECK(
      has(pattern_where([](auto row, auto column) { return (row * 7 + column * 11) % 13 == 0; }), {"none"}));
}

TEST_CASE("the place of an element is its tile, work-group and work-item") {
  const Tiling exact{8, 16, {clgemm::GridAxis::columns, clgemm::GridAxis::rows}, {16, 8}};
  CHECK(place_in(exact, {19, 37}) == "tile 2 down and 2 across, work-group (2, 2), work-item (5, 3)");
  const Tiling several{8, 16, {clgemm::GridAxis::rows, clgemm::GridAxis::columns}, {2, 16}};
  CHECK(place_in(several, {13, 3}) == "tile 1 down and 0 across, work-group (1, 0), work-item (1, 3)");
  CHECK(place_in(several, {14, 3}) ==
        "tile 1 down and 0 across, work-group (1, 0), work-item (1, 3) if it computes neighbours, (0, 3) if "
        "not");
  const Tiling flat{8, 16, {clgemm::GridAxis::columns, clgemm::GridAxis::rows}, {128, 1}};
  CHECK(place_in(flat, {8, 3}) == "tile 1 down and 0 across, work-group (0, 1)");
  CHECK(place_in({8, 16}, {8, 3}) == "tile 1 down and 0 across");
}

TEST_CASE("--new-kernel writes a kernel that passes, and never overwrites a file") {
  const clgemm::test::TemporaryFolder folder;
  const std::string path = (folder.path() / "my-first kernel.cl").string();
  CHECK(bench(fmt::format("--new-kernel '{}'", path)).status == 0);
  const Finished measured = bench(fmt::format("--kernel '{}' --size 33x17x9 --runs 2 --warmup 0", path));
  CHECK(measured.status == 0);
  CHECK(has(measured.text, {"my_first_kernel", "PASSED"}));

  std::ofstream(path) << "mine";
  const Finished again = bench(fmt::format("--new-kernel '{}'", path));
  CHECK(again.status == 1);
  CHECK(has(again.text, {"exists already"}));
  CHECK(std::filesystem::file_size(path) == 4);
}

TEST_CASE("--show-kernel prints a file that works as a user's kernel") {
  const clgemm::test::TemporaryFolder folder;
  const std::string path = (folder.path() / "steps.cl").string();
  const Finished shown = bench("--show-kernel tiled");
  CHECK(shown.status == 0);
  CHECK(shown.text.rfind("// clgemm: tiled\n", 0) == 0);
  std::ofstream(path) << shown.text;
  const Finished measured = bench(fmt::format("--kernel '{}' --size 33x17x9 --runs 1 --warmup 0", path));
  CHECK(has(measured.text, {"PASSED"}));

  CHECK(bench("--show-kernel float8").text.rfind("// clgemm: vector\n", 0) == 0);
  CHECK(bench("--show-kernel pack_padded").text.rfind("// clgemm: pack_padded\n", 0) == 0);
  CHECK(has(bench("--show-kernel common/store.cl").text, {"store_c("}));
  const Finished missing = bench("--show-kernel tilde");
  CHECK(missing.status == 2);
  CHECK(has(missing.text, {"no kernel 'tilde'"}));
  CHECK(has(bench("--show-kernel common/tilde.cl").text, {"no built-in file 'common/tilde.cl'"}));
}

TEST_CASE("a wrong result is described") {
  const clgemm::test::TemporaryFolder folder;
  const std::string path = (folder.path() / "edge.cl").string();
  write_new_kernel(path);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::string kernel = text.str();
  const std::string guard = "column >= n) return;";
  kernel.replace(kernel.find(guard), guard.size(), guard + " if (row >= 32) return;");
  std::ofstream(path) << kernel;

  const Finished measured = bench(fmt::format("--kernel '{}' --size 33x17x9 --runs 1 --warmup 0", path));
  CHECK(measured.status == 1);
  CHECK(has(measured.text, {"17 of 561 elements are wrong, the first one is at row 32, column 0",
                            "last, incomplete tile of rows, 32 to 32"}));
}

TEST_CASE("--watch measures again when an included file changes, and prints the difference") {
  const clgemm::test::TemporaryFolder folder;
  const std::string path = (folder.path() / "watched.cl").string();
  write_new_kernel(path);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::string kernel = text.str();
  kernel.insert(kernel.find("#include"), "#include \"own.h\"\n");
  std::ofstream(path) << kernel;
  const std::string included = (folder.path() / "own.h").string();
  std::ofstream(included) << "#error \"not yet\"\n";

  const Finished watched = run(
      fmt::format("sh -c \"(sleep 4; echo '// right now' > '{}') & timeout 60 '{}' --watch --watch-rounds 2 "
                  "--kernel '{}' --size 33x17x9 --runs 1 --warmup 0\"",
                  included, CLGEMM_BENCH_PROGRAM, path));
  CHECK(watched.status == 0);
  CHECK(has(watched.text, {"does not compile", "waiting for a change of 2 files", "PASSED"}));
  CHECK(bench("--watch --kernel tiled").status == 2);
}

TEST_CASE("if a file lacks the function, the error lists the functions that it has") {
  const clgemm::test::TemporaryFolder folder;
  const std::string path = (folder.path() / "misspelt.cl").string();
  write_new_kernel(path);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::string kernel = text.str();
  kernel.replace(kernel.find("void gemm("), 10, "void gem(");
  std::ofstream(path) << kernel;
  const Finished finished = bench(fmt::format("--kernel '{}' --size 8", path));
  CHECK(finished.status == 1);
  CHECK(has(finished.text, {"no usable kernel function 'gemm'", "it has 'gem'"}));
}

TEST_CASE("a wrong result is not compared with, neither before nor after") {
  const clgemm::test::TemporaryFolder folder;
  const std::string path = (folder.path() / "watched.cl").string();
  write_new_kernel(path);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::string wrong = text.str();
  const std::string loop = "depth < k;";
  wrong.replace(wrong.find(loop), loop.size(), "depth < k - 1;");
  const std::string other = (folder.path() / "other.txt").string();
  std::ofstream(other) << wrong;
  const Finished watched = run(
      fmt::format("sh -c \"(sleep 3; cp '{}' '{}') & timeout 60 '{}' --watch --watch-rounds 2 --kernel '{}' "
                  "--size 33x17x9 --runs 1 --warmup 0\"",
                  other, path, CLGEMM_BENCH_PROGRAM, path));
  INFO(watched.text);
  CHECK(has(watched.text, {"PASSED", "FAILED", "ms in the last version with a right result"}));
  CHECK(watched.text.find("faster") == std::string::npos);
  CHECK(watched.text.find("slower") == std::string::npos);
}

// Returns the row that begins with these numbers.
std::string row_of(const std::string& numbers, const std::string& table) {
  const std::size_t first = table.find("| " + numbers + " |");
  REQUIRE(first != std::string::npos);
  return table.substr(first, table.find('\n', first) - first);
}

TEST_CASE("--accuracy passes kernels within their bound, and fails others") {
  const Finished exact = bench("--accuracy --size 40 --kernel coalesced --peer none");
  INFO(exact.text);
  CHECK(has(exact.text, {"40 x 40", "coalesced", "65536", "worst case", "pairs cancel", "as plain fp32"}));
  if (clgemm::test::is_on_llvmpipe()) {
    WARN("NOT TESTED on llvmpipe, which has no fma: that every sum is within the bound of plain fp32");
  } else {
    CHECK(exact.status == 0);
    CHECK(has(exact.text, {"PASSED"}));
    CHECK(exact.text.find("FAILED") == std::string::npos);
  }
  const Finished truncating =
      bench("--accuracy --size 40 --kernel '" CLGEMM_TEST_KERNELS "/truncating.cl' --peer none");
  INFO(truncating.text);
  CHECK(truncating.status == 1);
  CHECK(has(truncating.text, {": FAILED**", "FAILED: some results"}));
}

TEST_CASE("--accuracy says if the fallback computed the result") {
  const Finished table =
      bench("--accuracy --size 40 --kernel '" CLGEMM_TEST_KERNELS "/from_fp16_planes.cl' --peer none");
  INFO(table.text);
  for (const char* numbers :
       {"one number 2^6 in a row of A", "rows times 2^-60 to 2^60", "with tiny numbers, 2^-29"}) {
    CHECK(row_of(numbers, table.text).find("by fallback_fp32") == std::string::npos);
  }
  for (const char* numbers : {"one number 2^40 in a row of A", "A D and D^-1 B, with D from 2^-40 to 2^40",
                              "with tiny numbers, 2^-40", "denormal numbers", "with Inf"}) {
    CHECK(row_of(numbers, table.text).find("by fallback_fp32") != std::string::npos);
  }
}

// A kernel with the name of a TF32 kernel that computes everything in plain fp32, in order.
TEST_CASE("--accuracy allows a TF32 kernel the bound of plain fp32 only if TF32 cannot hold the numbers") {
  if (clgemm::test::is_on_llvmpipe()) {
    WARN("NOT TESTED on llvmpipe, which has no fma");
    return;
  }
  const clgemm::test::TemporaryFolder folder;
  std::string text = clgemm::KernelFolders().find_kernel("coalesced.cl").value().text;
  const std::string name = "clgemm: coalesced";
  REQUIRE(text.find(name) != std::string::npos);
  text.replace(text.find(name), name.size(), "clgemm: tf32x3_mma");
  const std::string path = folder.write("plain.cl", text);
  const Finished table = bench(fmt::format("--accuracy --size 8 --kernel '{}' --peer none", path));
  INFO(table.text);
  const std::string bound_of_tf32 =
      fmt::format(" of {:.0f}, ", error_bound(Arithmetic::tf32x3_mma, 512, Numbers::any));
  const std::string bound_of_fp32 =
      fmt::format(" of {:.0f}, ", error_bound(Arithmetic::fp32, 512, Numbers::any));
  CHECK(has(row_of("worst case | 512", table.text), {bound_of_tf32, "FAILED"}));
  CHECK(has(row_of("worst case times 2^-112 | 512", table.text), {bound_of_fp32}));
  CHECK_FALSE(has(row_of("worst case times 2^-112 | 512", table.text), {"FAILED"}));
}

TEST_CASE("--why names the first limit of a kernel") {
  const Ceilings ceilings{.fp32_gflops = 1000.0, .read_gbs = 100.0, .copy_gbs = 80.0, .cache_gbs = 300.0};
  KernelFacts facts;
  facts.groups = 64;
  facts.compute_units = 8;
  facts.group_rows = facts.group_columns = 64;
  facts.gflops = 500.0;
  const auto begins = [&](const char* text) { return first_thing_to_try(facts, ceilings).starts_with(text); };
  CHECK(begins("the inner loop"));
  facts.group_rows = facts.group_columns = 8;  // 1 byte for each multiply-add: 250 GB/s
  CHECK(facts.needed_gbs() == Approx(250.0));
  CHECK(begins("larger tiles"));
  facts.work_inside = 0.5;
  CHECK(begins("smaller tiles"));
  facts.groups = 4;
  CHECK(begins("more work-groups"));
  facts.spilled_bytes = 16;
  CHECK(begins("fewer results"));
  facts.gflops = 900.0;
  CHECK(begins("nothing"));
  facts.gflops = 1100.0;
  CHECK(begins("measure again"));
}

TEST_CASE("--why prints facts about a kernel at a size") {
  const Finished why = bench("--why --kernel tiled --size 200 --runs 3");
  INFO(why.text);
  CHECK(why.status == 0);
  CHECK(has(why.text, {"size: 200\nkernel: tiled TS=16",
                       "GFLOPS, median of 3 runs; predicted: ", "work-groups: 169, of 16 x 16",
                       "global memory: 0.500 bytes", "local memory: ", "private memory: ", "try first: "}));
}

TEST_CASE("a program's binary is written as text, as a disassembly, or unchanged") {
  const std::string ptx = "//\n.version 8.0\n.target sm_90\n";
  CHECK(readable(ptx + '\0').kind == "PTX");
  CHECK(readable(ptx + '\0').text == ptx);
  CHECK(readable("(module)").kind == "text");
  const std::string unknown(
      "\x7f"
      "ELF\0\1\2 none",
      12);
  CHECK(has(readable(unknown).kind, {"binary", "no machine code"}));
  CHECK(readable(unknown).text == unknown);
}

TEST_CASE("--asm writes the compiled kernel") {
  const clgemm::test::TemporaryFolder folder;
  const std::string path = (folder.path() / "tiled.s").string();
  const Finished written = bench(fmt::format("--asm '{}' --kernel tiled --param TS=8 --size 32", path));
  INFO(written.text);
  CHECK(written.status == 0);
  CHECK(has(written.text, {path + " has ", "'tiled' with TS=8 TSK=16 at 32 x 32 x 32"}));
  const std::string text = clgemm::test::text_of_file(path);
  CHECK_FALSE(text.empty());
  if (has(written.text, {"a disassembly"})) {
    CHECK(text.rfind("Disassembly of section", 0) == 0);
    CHECK(has(text, {"gemm"}));
  } else {
    WARN(
        "NOT TESTED: that objdump disassembles a program, because this device has no program that objdump "
        "knows");
  }
  CHECK(bench(fmt::format("--asm '{}'", path)).status == 2);
  CHECK(bench(fmt::format("--asm '{}/none/x' --kernel tiled --size 32", folder.path().string())).status == 1);
}

TEST_CASE("Oclgrind's messages are read with their lines, and each one is reported once") {
  const auto race = [](int first, int second) {
    return fmt::format(
        "\nRead-write data race at local memory address 0x10\n\tKernel: gemm\n\t\n"
        "\tFirst entity:  Global(1,0,0) Local(1,0,0) Group(0,0,0)\n\t  %3 = load float\n"
        "\tAt line {} (column 13) of ./mine.cl:\n\t  sum\n\t\n"
        "\tSecond entity: Global(0,0,0) Local(0,0,0) Group(0,0,0)\n\tAt line {} (column 3) of "
        "./mine.cl:\n\t\n",
        first, second);
  };
  const std::vector<RaceFinding> found =
      findings_in(race(49, 42) + race(42, 49) +
                  "\nInvalid write of size 4 at global memory address 0x20\n\tKernel: gemm\n"
                  "\tEntity: Global(9,0,0) Local(1,0,0) Group(1,0,0)\n\tAt line 50 (column 1) of mine.cl:\n"
                  "\nOclgrind: 3 errors\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].what == "Read-write data race at local memory");
  CHECK(found[0].lines == std::vector<std::string>{"mine.cl:49", "mine.cl:42"});
  CHECK(found[0].items.at(1) == "Local(0,0,0) Group(0,0,0)");
  CHECK(found[0].times == 2);
  CHECK(found[1].lines == std::vector<std::string>{"mine.cl:50"});
}

TEST_CASE("--races finds a missing barrier with the lines of the file, and nothing in a built-in kernel") {
  CHECK(bench("--races").status == 2);
  const Finished sound = bench("--races --kernel tiled");
  if (has(sound.text, {"Oclgrind, which is not installed"})) {
    WARN("NOT TESTED: there is no Oclgrind here, which --races needs");
    return;
  }
  INFO(sound.text);
  CHECK(sound.status == 0);
  CHECK(has(sound.text, {"no race"}));
  std::string text = bench("--show-kernel tiled").text;
  const std::size_t barrier = text.rfind("barrier(");
  REQUIRE(barrier != std::string::npos);
  text.insert(barrier, "//");
  text.replace(text.find("clgemm: tiled"), 13, "clgemm: racy");
  const clgemm::test::TemporaryFolder folder;
  folder.write("racy.cl", text);
  const Finished racy = bench(fmt::format("--races --kernel '{}'", (folder.path() / "racy.cl").string()));
  INFO(racy.text);
  CHECK(racy.status == 1);
  CHECK(has(racy.text, {"Read-write data race at local memory", "racy.cl:", "MULTIPLY_ADD", "Local("}));
}

TEST_CASE("the JSON contains --precision fp32") {
  const Finished strict = bench("--size 32 --runs 1 --warmup 0 --peer none --precision fp32 --format json");
  CHECK(strict.status == 0);
  CHECK(has(strict.text, {"\"precision\": \"fp32\""}));
  CHECK(bench("--size 32 --precision fp16").status == 2);
}

// Returns the word after `label`.
std::string word_after(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label);
  if (at == std::string::npos) return {};
  const std::size_t start = at + label.size();
  return text.substr(start, text.find_first_of(" .\n", start) - start);
}

// Writes a folder with the kernel's file, in which alpha is too large by one.
void write_wrong(const clgemm::test::TemporaryFolder& folder, const std::string& kernel) {
  const std::string file = clgemm::KernelLibrary().find(kernel).file->manifest.name + ".cl";
  const std::string text = clgemm::KernelFolders().find(file).value().text;
  folder.write(file, clgemm::test::with_argument(text, "float", "alpha", "stated + 1.0f"));
}

TEST_CASE("auto measures the kernel that the library ran, not a wrong kernel that it rejected") {
  const clgemm::test::TemporaryFolder folder;
  const clgemm::test::TemporaryFolder kernels;
  const std::string program =
      fmt::format("CLGEMM_CACHE_DIR='{}' '{}' --size 200 ", folder.path().string(), CLGEMM_BENCH_PROGRAM);
  const std::string first = word_after(run(program + "--explain").text, "kernel: ");
  REQUIRE_FALSE(first.empty());
  write_wrong(kernels, first);

  const std::string with_wrong = program + fmt::format("--kernel-folder '{}' ", kernels.path().string());
  const Finished explained = run(with_wrong + "--explain");
  INFO(explained.text);
  const std::string taken = word_after(explained.text, "kernel: ");
  CHECK(taken != first);
  CHECK(has(explained.text, {"not used: " + first, "wrong result"}));
  const Finished measured = run(with_wrong + "--kernel auto --peer none --runs 1 --warmup 0");
  INFO(measured.text);
  CHECK(measured.status == 0);
  CHECK(has(measured.text, {"\n" + taken + " "}));  // the first cell of its line
}

TEST_CASE("--explain prints the plan, and --cache the compiled programs") {
  const Finished explained = bench("--explain --size 100x30x20 --kernel wpt --param TS=16 --transpose-a");
  CHECK(explained.status == 0);
  CHECK(has(explained.text, {"kernel: wpt TS=16 WPT=8", "named by the caller", "op(A): packed",
                             "padding: m 100 to 112, n 30 to 32, k 20 to 32"}));
  const Finished on_host = bench("--explain --host-to-host --size 100x30x20");
  INFO(on_host.text);
  CHECK(has(on_host.text, {"predicted: "}));
  CHECK((has(on_host.text, {"host matrices: used in place", "moved: nothing"}) ||
         has(on_host.text, {"host matrices: through ", "moved: A "})));

  const clgemm::test::TemporaryFolder folder;
  const std::string cache =
      fmt::format("CLGEMM_CACHE_DIR='{}' '{}'", (folder.path() / "cache").string(), CLGEMM_BENCH_PROGRAM);
  CHECK(has(run(cache + " --cache info").text, {"programs: 0"}));
  CHECK(run(cache + " --kernel coalesced --size 9 --runs 1 --warmup 0").status == 0);
  CHECK_FALSE(has(run(cache + " --cache info").text, {"programs: 0"}));
  CHECK(has(run(cache + " --cache clear").text, {"removed "}));
  CHECK(has(run(cache + " --cache info").text, {"programs: 0"}));
  CHECK(has(run("CLGEMM_CACHE=0 " + cache + " --cache info").text, {"turned off"}));
}
