// Tests what the bench prints about the most frequent mistakes of authors of kernels. It must find each of
// them.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/kernel_source.hpp"
#include "support/catch.hpp"
#include "support/llvmpipe.hpp"
#include "support/program.hpp"
#include "support/temporary.hpp"

namespace {

using clgemm::test::Finished;
using clgemm::test::TemporaryFolder;

Finished bench(const std::string& arguments) {
  return clgemm::test::run_program(fmt::format("'{}' {}", CLGEMM_BENCH_PROGRAM, arguments));
}

struct Mistake {
  const char* what;
  const char* kernel;             // a built-in kernel, which has
  const char* right;              // this text
  const char* wrong;              // replaced by this
  std::vector<const char*> said;  // "@code" means the file and the number of the first line with this code
  const char* size = "24";
};

const std::string store = "store_c(c, ldc, m, n, row, column, product.alpha, sum, product.beta)";

const Mistake mistakes[] = {
    // Mistakes in the manifest.
    {"the first line is another one",
     "coalesced",
     "// clgemm: coalesced",
     "// kernel: coalesced",
     {"mine.cl:1:", "expected the manifest's first line"}},
    {"a key is missing", "coalesced", "// operands: in_place\n", "", {"the manifest has no 'operands'"}},
    {"a typing error in a key", "coalesced", "// tile:", "// tiles:", {"mine.cl:6: 'tiles': unknown key"}},
    {"a typing error in a parameter",
     "coalesced",
     "local: COLUMNS",
     "local: COLUMS",
     {"mine.cl:7: 'COLUMS': unknown name", "the known names are ROWS, COLUMNS"}},
    {"a typing error in the grid",
     "coalesced",
     "grid: columns",
     "grid: column",
     {"mine.cl:8: 'column rows': expected rows"}},
    {"a default that is not allowed",
     "coalesced",
     "ROWS = 8 in",
     "ROWS = 7 in",
     {"mine.cl:4:", "the default is not among the values"}},
    {"one dimension of the work-group",
     "coalesced",
     "local: COLUMNS ROWS",
     "local: COLUMNS",
     {"mine.cl:7:", "must have the same number of dimensions"}},
    {"the work-group is swapped",
     "coalesced",
     "local: COLUMNS ROWS",
     "local: ROWS COLUMNS",
     {"mine.cl:7: 'local' is 8 x 32", "reqd_work_group_size(32, 8, 1)"}},
    {"the grid is swapped",
     "coalesced",
     "grid: columns rows",
     "grid: rows columns",
     {"whole tiles of 8 x 32", "not stored"}},
    {"the grid of square tiles is swapped",
     "tiled",
     "grid: columns rows",
     "grid: rows columns",
     {"at 67 x 197 x 33", "whole tiles of 16 x 16", "not stored"}},
    {"the tile is swapped",
     "coalesced",
     "tile: ROWS COLUMNS",
     "tile: COLUMNS ROWS",
     {"whole rows", "not stored"}},
    {"the tile is larger than what is computed", "tiled", "tile: TS TS", "tile: 2*TS TS", {"not stored"}},
    {"the tile's depth is none of the loop's",
     "tiled",
     "tile: TS TS TSK",
     "tile: TS TS 1",
     {"elements are wrong"}},
    // Kernels that do not compile, or whose function does not follow the contract.
    {"a semicolon is missing",
     "coalesced",
     "float sum = 0.0f;",
     "float sum = 0.0f",
     {"does not compile", "@float sum = 0.0f", ":19: expected ';'"}},
    {"an include is missing",
     "coalesced",
     "#include \"common/in_place.cl\"\n",
     "",
     {"does not compile", "element_of_a"}},
    {"the function has another name",
     "coalesced",
     "void gemm(",
     "void gem(",
     {"no usable kernel function 'gemm'", "it has 'gem'"}},
    {"an argument too many",
     "coalesced",
     "BATCH_ARGUMENTS",
     "BATCH_ARGUMENTS, const int more",
     {"takes 6 arguments, but the contract (kernels/README.md) requires 19, or 5 if all numbers are one"}},
    {"all numbers are one argument of another type",
     "coalesced",
     "const Numbers numbers) {\n",
     "const int one) {\n  Numbers numbers;\n",
     {"mine.cl: argument 5 of the kernel", "'numbers' of type Numbers"}},
    {"an argument of another size",
     "naive",
     "const ulong a_offset",
     "const uint a_offset",
     {"mine.cl: argument 6 of the kernel", "'a_offset' of type ulong"}},
    {"an argument of another type and this size",
     "naive",
     "const float beta",
     "const int beta",
     {"beta -0.5", "every element"}},
    // Mistakes in local memory.
    {"too large an array", "tiled", "a_tile[TS][TSK]", "a_tile[TS * 65536][TSK]", {"bytes of local memory"}},
    {"too small an array", "tiled", "a_tile[TS][TSK]", "a_tile[TS][TSK / 2]", {"elements are wrong"}},
    {"an index of the wrong dimension",
     "tiled",
     "b_tile[depth][item_column], sum",
     "b_tile[depth][item_row], sum",
     {"nearly every element", "(tile 0 down and 0 across, work-group (0, 0), work-item (1, 0))"}},
    {"a return before a barrier",
     "tiled",
     "  float sum",
     "  if (row >= m || column >= n) return;\n  float sum",
     {"elements are wrong"}},
    // Mistakes along k.
    {"one step of k too few",
     "coalesced",
     "depth < k;",
     "depth < k - 1;",
     {"every element; as if k were 23"}},
    {"the first step of k is missing",
     "coalesced",
     "depth = 0;",
     "depth = 1;",
     {"every element; the product at 0 of k is missing"}},
    {"the rest of k is missing",
     "coalesced",
     "depth < k;",
     "depth < k / 8 * 8;",
     {"at 67 x 197 x 33", "as if k were 32"}},
    {"sums of few bits",
     "coalesced",
     "    sum = ",
     "    sum = as_float(as_uint(sum) & 0xfffff000u);\n    sum = ",
     {"every element"}},
    // Wrong addresses in memory.
    {"a store without bounds",
     "tiled",
     "store_c(c, ldc, m, n, row, column, alpha, sum, beta)",
     "c[row * ldc + column] = alpha * sum + (beta == 0.0f ? 0.0f : beta * c[row * ldc + column])",
     {"wrote outside C: element 0 after its end"}},
    {"rows of C without gaps", "coalesced", "store_c(c, ldc,", "store_c(c, (ulong)n,", {"gaps and offsets"}},
    {"rows of B without gaps",
     "coalesced",
     "element_of_b(b, ldb,",
     "element_of_b(b, (ulong)n,",
     {"gaps and offsets", "nan instead of"}},
    {"an offset is forgotten",
     "coalesced",
     "a_offset + product.a",
     "product.a",
     {"gaps and offsets", "nan instead of"}},
    {"a batch is forgotten",
     "coalesced",
     "b_offset + product.b",
     "b_offset",
     {"a batch of 2", "matrix 0 is right"}},
    {"a transpose is forgotten",
     "coalesced",
     "element_of_a(a, lda, row, depth)",
     "a[row * lda + depth]",
     {"with A transposed"}},
    {"a local number for a global one",
     "coalesced",
     "row = get_global_id(1)",
     "row = get_local_id(1)",
     {"the first one is at row 8", "not stored"}},
    {"every 64th row has another's number",
     "coalesced",
     "row = get_global_id(1);",
     "row = get_global_id(1) % 64 == 3 ? 2 : get_global_id(1);",
     {"whole rows, those r with r mod 64 = 3", "not stored"},
     "200"},
    // Mistakes with alpha and beta.
    {"alpha is forgotten", "coalesced", "product.alpha, sum", "1.0f, sum", {"alpha 2", "as if alpha were 1"}},
    {"beta is forgotten", "coalesced", "sum, product.beta", "sum, 0.0f", {"beta -0.5", "as if beta were 0"}},
    {"C is read where beta is 0",
     "coalesced",
     store.c_str(),
     "c[row * ldc + column] = product.alpha * sum + product.beta * c[row * ldc + column]",
     {"C is read although beta is 0"}},
};

// A device may get these right by chance, but Oclgrind finds them.
const Mistake unseen[] = {
    {"no barrier before the products",
     "tiled",
     "    barrier(CLK_LOCAL_MEM_FENCE);\n    for (int depth = 0;",
     "    for (int depth = 0;",
     {"data race at local memory", "@sum = MULTIPLY_ADD"}},
    {"no barrier after the products",
     "tiled",
     "    barrier(CLK_LOCAL_MEM_FENCE);\n  }",
     "  }",
     {"data race at local memory", "@sum = MULTIPLY_ADD"}},
    {"loads without bounds",
     "coalesced",
     "  if (row >= m || column >= n) return;\n",
     "",
     {"Invalid read of size 4"}},
};

std::string write_mistake(const TemporaryFolder& folder, const Mistake& mistake) {
  for (const clgemm::EmbeddedFile& file : clgemm::embedded_files()) {
    if (file.path != fmt::format("{}.cl", mistake.kernel)) continue;
    std::string text(file.text);
    const std::size_t place = text.find(mistake.right);
    if (place == std::string::npos) break;
    return folder.write("mine.cl", text.replace(place, std::string(mistake.right).size(), mistake.wrong));
  }
  throw std::runtime_error(fmt::format("{}.cl has no '{}'", mistake.kernel, mistake.right));
}

// Returns true if the bench printed this about the kernel in this file.
bool is_said(const Finished& finished, const std::string& said, const std::string& path) {
  std::string text = said;
  if (said[0] == '@') {
    const std::string source = clgemm::test::text_of_file(path);
    REQUIRE(source.find(said.substr(1)) != std::string::npos);
    const auto code = source.begin() + static_cast<std::ptrdiff_t>(source.find(said.substr(1)));
    text = fmt::format("mine.cl:{}:", 1 + std::count(source.begin(), code, '\n'));
  }
  return (finished.out + finished.err).find(text) != std::string::npos;
}

// Returns true if the kernel ended its process, and the bench says so. A read out of bounds may do that.
bool has_crashed(const Finished& finished) {
  return finished.err.find("tried in a separate process: ended by signal") != std::string::npos;
}

constexpr const char* quick = "--runs 1 --warmup 0 --peer none --no-baseline";

bool is_skipped() {
  if (!clgemm::test::is_on_llvmpipe()) return false;
  WARN("NOT TESTED on llvmpipe: what the bench says of mistakes, some of which have no defined result");
  return true;
}

}  // namespace

TEST_CASE("no mistake passes the check, and the message points to it") {
  if (is_skipped()) return;
  for (const Mistake& mistake : mistakes) {
    const TemporaryFolder folder;
    const std::string path = write_mistake(folder, mistake);
    const Finished finished = bench(fmt::format("--kernel '{}' --size {} {}", path, mistake.size, quick));
    INFO(mistake.what << '\n' << finished.out << finished.err);
    CHECK(finished.status == 1);
    CHECK(finished.out.find("PASSED  ") == std::string::npos);
    for (const char* said : mistake.said) {
      INFO(said);
      CHECK((is_said(finished, said, path) || has_crashed(finished)));
    }
  }
}

TEST_CASE("mistakes that pass by chance are named as unchecked, and --races finds them") {
  if (is_skipped()) return;
  bool has_oclgrind = true;
  for (const Mistake& mistake : unseen) {
    const TemporaryFolder folder;
    const std::string path = write_mistake(folder, mistake);
    const Finished finished = bench(fmt::format("--kernel '{}' --size {} {}", path, mistake.size, quick));
    INFO(mistake.what << '\n' << finished.out << finished.err);
    const bool is_noted =
        finished.err.find("the checks cannot detect races or reads out of bounds") != std::string::npos;
    CHECK((finished.status == 1 || is_noted));
    if (!has_oclgrind) continue;
    const std::string smaller = mistake.kernel == std::string("tiled") ? "--param TS=8 --param TSK=8" : "";
    const Finished raced = bench(fmt::format("--races --kernel '{}' {}", path, smaller));
    has_oclgrind = raced.err.find("Oclgrind, which is not installed") == std::string::npos;
    if (!has_oclgrind) continue;
    INFO(raced.out << raced.err);
    CHECK(raced.status == 1);
    for (const char* said : mistake.said) CHECK(is_said(raced, said, path));
  }
  if (!has_oclgrind) WARN("NOT TESTED: there is no Oclgrind here, which --races needs");
}
