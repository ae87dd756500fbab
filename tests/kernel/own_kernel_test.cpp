// A kernel file of the user is found by path and by folder. It may have includes, and messages refer to its
// lines.
#include <fmt/format.h>

#include "kernel/kernel_file.hpp"
#include "support/on_device.hpp"
#include "support/program.hpp"
#include "support/reference.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

const std::string manifest =
    "// clgemm: mine\n"                       // 1
    "// summary: one work-item an element\n"  // 2
    "// operands: in_place\n"                 // 3
    "// param: SIDE = 8 in 4 8\n"             // 4
    "// variant: mine4 SIDE=4\n"              // 5
    "// tile: SIDE SIDE 1\n"                  // 6
    "// local: SIDE SIDE\n"                   // 7
    "// grid: columns rows\n"                 // 8
    "\n"                                      // 9
    "#include \"common/in_place.cl\"\n"       // 10
    "#include \"own/factor.cl\"\n"            // 11
    "#include \"common/store.cl\"\n";         // 12

// FACTOR comes from the included file, and shows which file was used.
const std::string kernel =
    "__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))\n"  // 13
    "void gemm(const int m, const int n, const int k, const float alpha,\n"
    "          __global const float* restrict a, const ulong a_offset, const ulong lda, const ulong "
    "a_stride,\n"
    "          __global const float* restrict b, const ulong b_offset, const ulong ldb, const ulong "
    "b_stride, const float beta,\n"
    "          __global float* restrict c, const ulong c_offset, const ulong ldc, const ulong c_stride) {\n"
    "  const int column = get_global_id(0);\n"
    "  const int row = get_global_id(1);\n"
    "  if (row >= m || column >= n) return;\n"
    "  float sum = 0.0f;\n"
    "  for (int depth = 0; depth < k; ++depth) {\n"  // 22
    "    sum = MULTIPLY_ADD(element_of_a(a + a_offset, lda, row, depth),\n"
    "                       element_of_b(b + b_offset, ldb, depth, column), sum);\n"
    "  }\n"
    "  store_c(c + c_offset, ldc, m, n, row, column, alpha, FACTOR * sum, beta);\n"
    "}\n";

std::string write_kernel(const TemporaryFolder& folder, const std::string& factor = "2.0f") {
  folder.write("own/factor.cl", "#define FACTOR " + factor + "\n");
  return folder.write("mine.cl", manifest + kernel);
}

// Computes 2 x 1 times 1 x 2 with ones. With the kernel above, every element is FACTOR.
float run_ones(const Options& options) {
  const float ones[] = {1, 1};
  float c[4] = {};
  shared_context().sgemm(Layout::row_major, Transpose::no, Transpose::no, 2, 2, 1, 1, ones, 1, ones, 2, 0, c,
                         2, options);
  CHECK(c[0] == c[3]);
  return c[0];
}

Options options_of(const std::string& name, const std::string& folder = {}) {
  Options options;
  options.kernel = name;
  options.kernel_folder = folder;
  return options;
}

// Returns the form of compilers' messages. Windows has "\\" in paths, and accepts "/".
std::string generic(const std::string& path) {
  return std::filesystem::path(path).generic_string();
}

TEST_CASE("a kernel file is loaded by path") {
  const TemporaryFolder folder;
  CHECK(run_ones(options_of(write_kernel(folder))) == 2);
}

TEST_CASE("a kernel file with any name is loaded by Options::kernel_file, and only one kernel can be named") {
  const TemporaryFolder folder;
  write_kernel(folder);
  Options options;
  options.kernel_file = folder.write("no_extension", manifest + kernel);
  CHECK(run_ones(options) == 2);
  options.parameters = {{"SIDE", 4}};
  CHECK(run_ones(options) == 2);
  options.kernel = "tiled";
  CHECK_ERROR([&] { run_ones(options); }, invalid_argument, "set only one of them");
  options.kernel.clear();
  options.kernel_file = "nowhere";
  CHECK_ERROR([&] { run_ones(options); }, kernel_not_found, "'./nowhere'");
}

TEST_CASE("a kernel file and its variant are loaded by Options::kernel_folder") {
  const TemporaryFolder folder;
  write_kernel(folder);
  CHECK(run_ones(options_of("mine", folder.path().string())) == 2);
  CHECK(run_ones(options_of("mine4", folder.path().string())) == 2);
  CHECK_ERROR([] { run_ones(options_of("mine")); }, kernel_not_found, "'mine'");
}

TEST_CASE("a kernel file is loaded by CLGEMM_KERNEL_DIR, and Options are preferred to it") {
  const TemporaryFolder folder;
  const TemporaryFolder other;
  write_kernel(folder);
  write_kernel(other, "3.0f");
  const ScopedVariable variable("CLGEMM_KERNEL_DIR", folder.path());
  CHECK(run_ones(options_of("mine")) == 2);
  CHECK(run_ones(options_of("mine", other.path().string())) == 3);
}

TEST_CASE("a file in the folder replaces the built-in kernel of its name, and no other") {
  const TemporaryFolder folder;
  folder.write("own/factor.cl", "#define FACTOR 5.0f\n");
  std::string text = manifest + kernel;
  text.replace(text.find("mine\n"), 4, "tiled");
  text.replace(text.find("mine4"), 5, "tiled4");
  folder.write("tiled.cl", text);
  CHECK(run_ones(options_of("tiled", folder.path().string())) == 5);
  CHECK(run_ones(options_of("wpt", folder.path().string())) == 1);
  CHECK(run_ones(options_of("tiled")) == 1);
}

TEST_CASE("parameters reach a user's kernel") {
  const TemporaryFolder folder;
  Options options = options_of(write_kernel(folder, "SIDE"));
  CHECK(run_ones(options) == 8);
  options.parameters = {{"SIDE", 4}};
  CHECK(run_ones(options) == 4);
  options.parameters = {{"SIDE", 5}};
  CHECK_ERROR([&] { run_ones(options); }, invalid_parameter, "mine.cl:4: SIDE=5");
}

TEST_CASE("a user's kernel gives right results in every form") {
  const TemporaryFolder folder;
  const std::string path = write_kernel(folder, "1.0f");
  for (const Form& form : all_forms()) {
    const GemmCase gemm = make_gemm_case(form, {19, 23, 17}, {-1.5f, 1}, all_placements()[1]);
    INFO(describe(gemm));
    check_on_device(gemm, random_data(gemm, 1), options_of(path));
  }
}

// If clgemm ignored the key, each work-group would compute one tile, and the results would be the same. So
// there is also a kernel that stops after its first tile.
TEST_CASE("a kernel whose work-groups compute several tiles has a limited number of them") {
  Options options;
  options.kernel_file = CLGEMM_TEST_KERNELS "/several_tiles.cl";
  std::uint32_t seed = 0;
  for (const auto& [limit, runs] : {std::pair{0, 0}, {1, 0}, {3, 0}, {0, 1}, {1, 1}, {3, 1}}) {
    options.parameters = {{"LIMIT", limit}, {"RUNS", runs}};
    for (const Form& form : all_forms()) {
      const Placement& placement = all_placements()[++seed % all_placements().size()];
      const Scalars& scalars = all_scalars()[seed % all_scalars().size()];
      const GemmCase gemm = make_gemm_case(form, {67, 85, 33}, scalars, placement);
      INFO("LIMIT=" << limit << ", RUNS=" << runs << ", " << describe(gemm));
      check_on_device(gemm, random_data(gemm, seed), options);
    }
  }
  std::string text = text_of_file(CLGEMM_TEST_KERNELS "/several_tiles.cl");
  const std::string step = "number += get_num_groups(0)";
  REQUIRE(text.find(step) != std::string::npos);
  text.replace(text.find(step), step.size(), "number += 1000000");
  const TemporaryFolder folder;
  options.kernel_file = folder.write("several_tiles.cl", text);
  const std::size_t tiles = 4 * shared_device_info().compute_units;
  const std::vector<float> ones(8, 1.0F);
  std::vector<float> c(4 * tiles * 8);
  for (const std::int64_t limit : {0, 1}) {
    options.parameters = {{"LIMIT", limit}};
    const auto value = static_cast<float>(limit + 1);  // no result of the call before
    const std::vector<float> a(4 * tiles, value);
    shared_context().sgemm(Layout::row_major, Transpose::no, Transpose::no, 4 * tiles, 8, 1, 1, a.data(), 1,
                           ones.data(), 8, 0, c.data(), 8, options);
    CHECK(c.front() == value);
    CHECK((c.back() == value) == (limit == 0));
  }
}

// Items of fragments.cl have 64 floats each if LENGTH is 128, so shifted rows are stored in pieces
// (MANY_FLOATS in common/store_tile.cl); with 64 they have 32.
TEST_CASE("tiles in local memory are stored at all places of C, and nothing outside") {
  Options options;
  options.kernel_file = CLGEMM_TEST_KERNELS "/fragments.cl";
  const Form form = {Layout::row_major, Transpose::no, Transpose::no};
  std::uint32_t seed = 0;
  for (const auto& [way, length] : {std::pair{0, 128}, {1, 128}, {2, 128}, {0, 64}}) {
    options.parameters = {{"WAY", way}, {"LENGTH", length}};
    for (std::size_t extra = 0; extra < 4; ++extra) {
      for (std::size_t offset = 0; offset < 4; ++offset) {
        for (const std::size_t n : {1u, 3u, 7u, 126u, 127u, 128u, 131u, 132u, 257u}) {
          const Shape shape = {33 + ++seed % 7, n, 3};
          const Scalars scalars = {-1.5F, seed % 5 == 0 ? 1.0F : 0.0F};
          const GemmCase gemm = make_gemm_case(form, shape, scalars, {1, extra, offset, 5});
          INFO("WAY=" << way << ", LENGTH=" << length << ", " << describe(gemm));
          check_on_device(gemm, random_data(gemm, seed), options);
        }
      }
    }
  }
}

TEST_CASE("lines of operands come to local memory from all places of the operands") {
  Options options;
  options.kernel_file = CLGEMM_TEST_KERNELS "/lines.cl";
  std::uint32_t seed = 0;
  for (const int lines : {32, 64, 128}) {
    options.parameters = {{"LINES", lines}};
    for (const Form& form : all_forms()) {
      for (std::size_t extra = 0; extra < 4; ++extra) {
        for (std::size_t offset = 0; offset < 4; ++offset) {
          for (const std::size_t k : {1u, 35u, 64u}) {
            const Shape shape = {static_cast<std::size_t>(lines) - 3 + ++seed % 7, 29 + seed % 5, k};
            const GemmCase gemm = make_gemm_case(form, shape, {1, 0}, {1, extra, offset, 0});
            INFO("LINES=" << lines << ", " << describe(gemm));
            check_on_device(gemm, random_data(gemm, seed), options);
          }
        }
      }
    }
  }
}

TEST_CASE("a compile error names the file and the line that a person wrote") {
  const TemporaryFolder folder;
  const std::string path = write_kernel(folder);
  std::string text = manifest + kernel;
  text.replace(text.find("  for (int depth"), 5, "  fro");
  folder.write("mine.cl", text);
  CHECK_ERROR([&] { run_ones(options_of(path)); }, build_failed, generic(path) + ":22");
}

TEST_CASE("a compile error in an include names the include") {
  const TemporaryFolder folder;
  const std::string path = write_kernel(folder);
  const std::string include = folder.write("own/factor.cl", "\n\nint nonsense(;\n#define FACTOR 1.0f\n");
  CHECK_ERROR([&] { run_ones(options_of(path)); }, build_failed, generic(include) + ":3");
}

TEST_CASE("a missing include and a bad manifest name file and line") {
  const TemporaryFolder folder;
  const std::string path = folder.write("mine.cl", manifest + kernel);
  CHECK_ERROR([&] { run_ones(options_of(path)); }, invalid_kernel_file,
              path + ":11: #include \"own/factor.cl\"");
  const std::string bad = folder.write("bad.cl", "// clgemm: bad\n// tiel: 1 1 1\n");
  CHECK_ERROR([&] { run_ones(options_of(bad)); }, invalid_kernel_file, bad + ":2: 'tiel': unknown key");
}

TEST_CASE("padded operands of a user's kernel are whole tiles with zeros") {
  const TemporaryFolder folder;
  // Reads op(A) and op(B) to the ends of their tiles and adds up everything, so that the contents of the
  // padding would show.
  const std::string path =
      folder.write("sums.cl",
                   "// clgemm: sums\n// summary: every element of C is the sum of all of op(A) and op(B), "
                   "tiles' ends included\n"
                   "// operands: padded\n// tile: 16 32 8\n// local: 1 1\n// grid: columns rows\n\n"
                   "__kernel void gemm(const int m, const int n, const int k, const float alpha,\n"
                   "  __global const float* a, const ulong a_offset, const ulong lda, const ulong a_stride,\n"
                   "  __global const float* b, const ulong b_offset, const ulong ldb, const ulong b_stride, "
                   "const float beta,\n"
                   "  __global float* c, const ulong c_offset, const ulong ldc, const ulong c_stride) {\n"
                   "  float sum = 0;\n"
                   "  for (int i = 0; i < (m + 15) / 16 * 16; ++i) for (int j = 0; j < k; ++j) sum += "
                   "a[a_offset + i * lda + j];\n"
                   "  for (int i = 0; i < k; ++i) for (int j = 0; j < (n + 31) / 32 * 32; ++j) sum += "
                   "b[b_offset + i * ldb + j];\n"
                   "  if (get_group_id(0) == 0 && get_group_id(1) == 0) c[c_offset] = sum + 1000 * (k % 8);\n"
                   "}\n");
  for (const Form& form : all_forms()) {
    const GemmCase gemm = make_gemm_case(form, {17, 33, 9}, {1, 0}, all_placements()[1]);
    const Data data = integer_data(gemm, 9);
    double expected = 0;
    for (std::size_t depth = 0; depth < 9; ++depth) {
      for (std::size_t row = 0; row < 17; ++row) expected += double{data.a[gemm.a.index(row, depth)]};
      for (std::size_t column = 0; column < 33; ++column)
        expected += double{data.b[gemm.b.index(depth, column)]};
    }
    INFO(describe(gemm));
    // Old values in the scratch memory of an earlier call must not show.
    const GemmCase dirty = make_gemm_case(form, {32, 64, 16}, {1, 0}, all_placements()[1]);
    run_on_device(dirty, random_data(dirty, 1), options_of(path));
    CHECK(double{run_on_device(gemm, data, options_of(path))[gemm.c.offset]} == expected);
  }
}

}  // namespace
}  // namespace clgemm
