// clgemm-bench: its units, and the program as users run it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/nearest.hpp"
#include "command_line/options.hpp"
#include "common/error_bound.hpp"
#include "common/size.hpp"
#include "common/statistics.hpp"
#include "common/text_table.hpp"
#include "common/usage_error.hpp"
#include "csv_cells.hpp"
#include "figures/results.hpp"
#include "kernel/kernel_file.hpp"
#include "measuring/check.hpp"
#include "measuring/kernel_timer.hpp"
#include "running/measure.hpp"
#include "support/catch.hpp"
#include "support/llvmpipe.hpp"
#include "support/program.hpp"
#include "support/temporary.hpp"

using namespace clgemm::bench;
using clgemm::test::Finished;
using clgemm::test::TemporaryFolder;
using clgemm::test::text_of_file;
using Json = nlohmann::json;

namespace {

Finished bench(const std::string& arguments) {
  return clgemm::test::run_program(fmt::format("'{}' {}", CLGEMM_BENCH_PROGRAM, arguments));
}

constexpr const char* quick = " --runs 2 --warmup 1 ";

// Returns the result for the host data's problem, computed in floats.
std::vector<float> multiply(const HostData& data) {
  const clgemm::SgemmCall& call = data.call;
  std::vector<float> c(call.m * call.n);
  for (std::size_t row = 0; row < call.m; ++row) {
    for (std::size_t column = 0; column < call.n; ++column) {
      float sum = 0.0f;
      for (std::size_t p = 0; p < call.k; ++p) sum += data.a[row * call.k + p] * data.b[p * call.n + column];
      float& element = c[row * call.n + column];
      element = call.alpha * sum;
      if (call.beta != 0.0f) element += call.beta * data.c[row * call.n + column];
    }
  }
  return c;
}

// Returns the text of `coalesced` with one piece replaced.
std::string altered_kernel(const std::string& piece, const std::string& other) {
  for (const clgemm::EmbeddedFile& file : clgemm::embedded_files()) {
    if (file.path != "coalesced.cl") continue;
    std::string text(file.text);
    const std::size_t position = text.find(piece);
    if (position == std::string::npos) break;
    return text.replace(position, piece.size(), other);
  }
  throw std::runtime_error("coalesced.cl has no '" + piece + "'");
}

// Returns a kernel in which every sum lacks its last product.
std::string wrong_kernel() {
  return altered_kernel("depth < k;", "depth < k - 1;");
}

}  // namespace

TEST_CASE("a size is N or MxNxK") {
  CHECK(parse_size("1024") == Size{1024, 1024, 1024});
  CHECK(parse_size("1000x37x129") == Size{1000, 37, 129});
  for (const char* bad :
       {"", "0", "-1", "abc", "4x5", "4x5x", "x", "4x0x5", "1x2x3x4", "12 ", "99999999999", "1e3"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_size(bad), UsageError);
  }
}

TEST_CASE("median and minimum") {
  CHECK(median({3.0, 1.0, 2.0}) == 2.0);
  CHECK(median({4.0, 1.0, 2.0, 3.0}) == 2.5);
  CHECK(median({7.0}) == 7.0);
  CHECK(minimum({3.0, 1.0, 2.0}) == 1.0);
  CHECK_THROWS(median({}));
}

TEST_CASE("the bounds of a median follow the binomial distribution") {
  std::vector<double> values;
  CHECK_FALSE(interval_of_median({1.0}));
  for (int i = 1; i <= 20; ++i) values.push_back(i);
  CHECK(interval_of_median(values)->low == 6.0);  // the value in tables of the sign test
  CHECK(interval_of_median(values)->high == 15.0);
  CHECK(interval_of_median({1, 2, 3, 4, 5, 6, 7, 8})->low == 1.0);
  CHECK(interval_of_median({1, 2, 3, 4, 5, 6, 7, 8, 9})->low == 2.0);
  CHECK(interval_of_median({3.0, 1.0, 2.0})->low == 1.0);
  CHECK(interval_of_median({3.0, 1.0, 2.0})->high == 3.0);
}

TEST_CASE("a nearly correct name is found, and any other name is not") {
  const std::vector<std::string> names = {"tiled", "tiled_vector", "naive", "fp32"};
  CHECK(clgemm::did_you_mean("tield", names) == "; did you mean 'tiled'?");
  CHECK(clgemm::did_you_mean("niave", names) == "; did you mean 'naive'?");
  CHECK(clgemm::did_you_mean("fp23", names) == "; did you mean 'fp32'?");
  CHECK(clgemm::did_you_mean("block_2d", names).empty());
  CHECK(clgemm::did_you_mean("", names).empty());
  CHECK(clgemm::did_you_mean("col", {"column", "row"}) == "; did you mean 'column'?");
  CHECK(clgemm::did_you_mean("til", {"tiled_vector", "tiled_wide"}).empty());  // two names are equally near
  for (const char* wrong :
       {"--szie 8", "--kernel tield", "--peer clbast", "--suite seds", "--kernel tiled --param TSX=8", "64",
        "mine.cl", "--layout col", "--show-kernel common/stor.cl"}) {
    INFO(wrong);
    CHECK(bench(wrong).err.find("did you mean") != std::string::npos);
  }
}

TEST_CASE("figures have four significant digits") {
  CHECK(format_figure(1.23456) == "1.235");
  CHECK(format_figure(0.04567) == "0.046");
  CHECK(format_figure(123.456) == "123.5");
  CHECK(format_figure(43210.9) == "43211");
}

TEST_CASE("a sample has the first and last index, tile edges, and each index once") {
  CHECK(sample_indices(3, 10) == std::vector<std::size_t>{0, 1, 2});
  CHECK(sample_indices(100, 1).size() == 1);
  const auto sample = sample_indices(1000, 200);
  CHECK(sample.size() == 200);
  CHECK(std::is_sorted(sample.begin(), sample.end()));
  CHECK(std::adjacent_find(sample.begin(), sample.end()) == sample.end());
  for (const std::size_t index : {0U, 999U, 63U, 64U, 127U, 128U, 895U, 896U}) {
    INFO(index);
    CHECK(std::binary_search(sample.begin(), sample.end(), index));
  }
}

TEST_CASE("the check passes correct results and fails wrong ones") {
  GemmKind kind;
  kind.alpha = -1.5f;
  kind.beta = GENERATE(0.0f, 0.5f);
  const HostData data = make_host_data(call_of(kind, {37, 29, 53}));
  const Reference reference(data);
  CHECK(reference.checked_elements() == 37 * 29);
  const std::vector<float> right = multiply(data);
  CHECK(reference.check(right).passed);
  CHECK(reference.check(right).error_ratio > 0.0);
  CHECK(reference.compare(right, right).error_ratio == 0.0);

  const std::size_t anywhere = GENERATE(0U, 500U, 37U * 29U - 1U);
  SECTION("one wrong element") {
    std::vector<float> wrong = right;
    wrong[anywhere] += 1e-3f;
    CHECK_FALSE(reference.check(wrong).passed);
    CHECK_FALSE(reference.compare(wrong, right).passed);
  }
  SECTION("one element not finite") {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      std::vector<float> wrong = right;
      wrong[anywhere] = bad;
      CHECK_FALSE(reference.check(wrong).passed);
      CHECK_FALSE(reference.compare(right, wrong).passed);
    }
  }
}

TEST_CASE("every matrix of a batch is checked, each against its own product") {
  GemmKind kind;
  kind.batch_count = 7;
  kind.beta = 0.5f;
  HostData data = make_host_data(call_of(kind, {5, 4, 60}));
  std::vector<float> scales;  // each matrix has its own norms
  for (std::size_t i = 0; i < kind.batch_count; ++i) {
    scales.push_back(std::pow(3.0f, -static_cast<float>(i)));
    for (std::size_t element = 0; element < 60 * 4; ++element) data.b[i * 60 * 4 + element] *= scales.back();
  }
  std::vector<float> right;
  for (std::size_t i = 0; i < kind.batch_count; ++i) {
    HostData one{call_of({.beta = 0.5f}, {5, 4, 60}), {}, {}, {}};
    const auto part = [i](const std::vector<float>& all, std::size_t each) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(i * each);
      return std::vector<float>(first, first + static_cast<std::ptrdiff_t>(each));
    };
    one.a = part(data.a, 5 * 60);
    one.b = part(data.b, 60 * 4);
    one.c = part(data.c, 5 * 4);
    const std::vector<float> c = multiply(one);
    right.insert(right.end(), c.begin(), c.end());
  }
  for (const double budget : {1e9, 60.0 * 28.0}) {
    const Reference reference(data, budget);
    CHECK(reference.check(right).passed);
    CHECK(reference.compare(right, right).passed);
    for (std::size_t i = 0; i < kind.batch_count; ++i) {
      std::vector<float> wrong = right;
      for (std::size_t element = 0; element < 20; ++element) wrong[i * 20 + element] += 0.01f * scales[i];
      INFO(i);
      CHECK_FALSE(reference.check(wrong).passed);
      CHECK_FALSE(reference.compare(wrong, right).passed);
      CHECK(reference.describe_wrong(wrong, reference.check(wrong).bound, {})
                .find(fmt::format("matrix {},", i)) != std::string::npos);
    }
  }
}

TEST_CASE("a large problem is checked on a sample, which is never empty") {
  const HostData data = make_host_data(call_of({}, {200, 150, 40}));
  const std::vector<float> right = multiply(data);
  const Reference sampled(data, 40.0 * 900.0);
  CHECK(sampled.checked_elements() == 900);
  CHECK(sampled.check(right).passed);
  CHECK(Reference(data, 0.0).checked_elements() == 1);

  std::vector<float> wrong = right;
  wrong.back() += 0.01f;  // the sample always has the last row and column
  CHECK_FALSE(sampled.check(wrong).passed);
  wrong = right;
  for (std::size_t column = 0; column < 150; ++column)
    wrong[64 * 150 + column] += 0.01f;  // the first row of a tile
  CHECK_FALSE(sampled.check(wrong).passed);
  for (std::size_t i = 0; i < right.size(); i += 97) {
    wrong = right;
    wrong[i] += 0.01f;
    CHECK_FALSE(sampled.compare(wrong, right).passed);  // every element is compared with the peer's
  }
}

TEST_CASE("impossible times of a device are not used") {
  CHECK(trusted_clock(0.9, 1.0) == Clock::device);
  CHECK(trusted_clock(0.01, 1.0) == Clock::device);
  CHECK(trusted_clock(1e-6, 1.0) == Clock::host);
  CHECK(trusted_clock(0.0, 1.0) == Clock::host);
}

TEST_CASE("the timer reports no time if nothing was launched") {
  const cl::Device device = clgemm::default_device();
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device, CL_QUEUE_PROFILING_ENABLE);
  CHECK_THROWS_AS(KernelTimer(queue).span(), clgemm::Error);
}

TEST_CASE("bad usage is one clear line and exit status 2") {
  const std::string arguments = GENERATE(
      "--size 0", "--size 4x5", "--kernel nosuch", "--device nosuch", "--param TS=8", "--bogus",
      "--kernel all --param TS=8", "--kernel tiled --param TS=7", "--kernel tiled --param TS",
      "--kernel scale", "--format xml", "--runs 0", "--ladder --kernel naive", "--output /nosuch/file");
  const Finished finished = bench(arguments);
  INFO(arguments << ": " << finished.err);
  CHECK(finished.status == 2);
  CHECK(finished.out.empty());
  CHECK(finished.err.rfind("clgemm-bench: error: ", 0) == 0);
  CHECK(finished.err.find('\n') == finished.err.size() - 1);
}

TEST_CASE("the programs' messages contain no foreign control characters") {
  const Finished finished = bench("--kernel 'no\x1b[2J\nclgemm-bench: all is well'");
  INFO(finished.err);
  CHECK(finished.status == 2);
  CHECK(finished.err.find('\x1b') == std::string::npos);
  CHECK(finished.err.find("\nclgemm-bench") == std::string::npos);
  CHECK(finished.err.find("no\\x1b[2J\n  clgemm-bench: all is well'") != std::string::npos);
}

TEST_CASE("any two actions exclude each other") {
  const std::vector<std::string> actions = {"--accuracy",          "--explain",
                                            "--list-devices",      "--list-kernels",
                                            "--compare a b",       "--markdown a",
                                            "--report /nosuch",    "--watch",
                                            "--cache info",        "--new-kernel /nosuch/a.cl",
                                            "--first-call-of blas"};
  for (const std::string& one : actions) {
    for (const std::string& other : actions) {
      if (one == other) continue;
      std::istringstream words("clgemm-bench " + one + " " + other);
      std::vector<std::string> texts{std::istream_iterator<std::string>(words), {}};
      std::vector<const char*> arguments;
      for (const std::string& text : texts) arguments.push_back(text.c_str());
      INFO(one << " and " << other);
      CHECK_THROWS_AS(parse_options(static_cast<int>(arguments.size()), arguments.data()), UsageError);
    }
  }
  const Finished finished = bench("--accuracy --explain");
  INFO(finished.err);
  CHECK(finished.status == 2);
  CHECK(finished.out.empty());
  CHECK(finished.err.find("--accuracy") != std::string::npos);
  CHECK(finished.err.find("--explain") != std::string::npos);
}

TEST_CASE("a kernel file that is broken is an error that names it") {
  const TemporaryFolder folder;
  const std::string missing = (folder.path() / "broken.cl").string();
  const std::string no_manifest = folder.write("bare.cl", "__kernel void gemm() {}\n");
  for (const std::string& path : {missing, no_manifest}) {
    const Finished finished = bench("--size 8 --kernel " + path);
    INFO(finished.err);
    CHECK(finished.status ==
          (path == missing ? 2 : 1));  // a missing file is bad usage, like any unknown kernel
    CHECK(finished.out.empty());
    CHECK(finished.err.rfind("clgemm-bench: error: ", 0) == 0);
    CHECK(finished.err.find(path) != std::string::npos);
    CHECK(finished.err.find('\n') == finished.err.size() - 1);
  }
  const std::string bad_code =
      folder.write("bad.cl", altered_kernel("float sum", "no such thing; float sum"));
  const Finished finished = bench("--size 8 --kernel " + bad_code);
  CHECK(finished.status == 1);
  CHECK(finished.out.empty());
  // The OpenCL compiler may print a line of its own first.
  CHECK(("\n" + finished.err).find("\nclgemm-bench: error: the kernel 'coalesced' (" + bad_code) !=
        std::string::npos);
}

TEST_CASE("a wrong kernel FAILED, exit status 1") {
  const TemporaryFolder folder;
  const std::string path = folder.write("wrong.cl", wrong_kernel());
  const Finished table = bench("--size 24" + std::string(quick) + "--kernel " + path);
  CHECK(table.status == 1);
  CHECK(table.out.find("FAILED") != std::string::npos);

  const Finished json = bench("--size 24 --format json" + std::string(quick) + "--kernel " + path);
  CHECK(json.status == 1);
  CHECK(Json::parse(json.out).at("rows").at(0).at("passed") == false);

  const Finished unchecked = bench("--size 24 --no-check" + std::string(quick) + "--kernel " + path);
  CHECK(unchecked.status == 0);
  CHECK(unchecked.out.find("not checked") != std::string::npos);
  CHECK(unchecked.out.find("PASSED") == std::string::npos);
}

TEST_CASE("every kernel passes, in JSON") {
  const std::string call = GENERATE("", "--transpose-a --layout column --alpha 2 --beta -1.5",
                                    "--transpose-b --layout row --beta 1", "--layout column --transpose-b");
  const Finished finished = bench("--kernel all --size 33x17x9 --format json " + call + quick);
  INFO(call << finished.err << finished.out);
  REQUIRE(finished.status == 0);
  CHECK(clgemm::test::without_warnings_of_mesa(finished.err).empty());
  std::set<std::string> seen;
  const Json results = Json::parse(finished.out);
  CHECK_FALSE(results.at("run").at("device").get<std::string>().empty());
  for (const Json& row : results.at("rows")) {
    seen.insert(row.at("kernel").get<std::string>());
    if (row.contains("skipped")) continue;  // the device is too small for it
    CHECK(row.at("passed") == true);
    CHECK(row.at("m") == 33);
    CHECK(row.at("n") == 17);
    CHECK(row.at("k") == 9);
    CHECK(row.at("runs") == 2);
    CHECK(row.at("parameters").is_object());
    CHECK(row.at("error_ratio").get<double>() <= error_bound(Arithmetic::fp32, 9, Numbers::random));
    for (const char* figure : {"median_ms", "min_ms", "gflops", "call_ms", "first_call_ms"}) {
      INFO(figure);
      CHECK(row.at(figure).get<double>() > 0.0);
    }
    if (row.at("peers").contains("clblast")) {
      const Json& peer = row.at("peers").at("clblast");
      CHECK(peer.at("median_ms").get<double>() > 0.0);
      CHECK(peer.at("gflops").get<double>() > 0.0);
      CHECK(peer.at("launches").get<int>() > 0);
      CHECK(peer.at("error_ratio").get<double>() <= error_bound(Arithmetic::fp32, 9, Numbers::random));
    }
  }
  for (const std::string& name : clgemm::KernelLibrary().names(clgemm::Role::gemm)) {
    INFO(name);
    CHECK(seen.count(name) == 1);
  }
}

TEST_CASE("auto names the chosen kernel") {
  const Finished finished = bench("--size 20 --format json" + std::string(quick));
  REQUIRE(finished.status == 0);
  const Json rows = Json::parse(finished.out).at("rows");
  REQUIRE(rows.size() == 1);
  CHECK_NOTHROW(clgemm::KernelLibrary().find(rows[0].at("kernel")));
}

TEST_CASE("a kernel that is named without parameters gets the parameters that clgemm would choose") {
  const std::string explained = bench("--explain --size 300x200x400").out;
  const std::size_t begin = explained.find("kernel: ") + 8;
  const std::string chosen = explained.substr(begin, explained.find(" (", begin) - begin);
  const std::string kernel = chosen.substr(0, chosen.find(' '));
  INFO(chosen);
  const std::string named = bench("--explain --size 300x200x400 --kernel " + kernel).out;
  CHECK(named.find("kernel: " + chosen + " (") != std::string::npos);
}

TEST_CASE("the reported parameters are those in effect") {
  const Finished finished = bench("--size 20 --format json --kernel tiled --param TS=8" + std::string(quick));
  REQUIRE(finished.status == 0);
  CHECK(Json::parse(finished.out).at("rows").at(0).at("parameters") == Json{{"TS", 8}, {"TSK", 16}});
}

TEST_CASE("the ladder has every step in order, and loops on the host before them") {
  const Finished finished = bench("--ladder --size 40" + std::string(quick));
  INFO(finished.out);
  CHECK(finished.status == 0);
  std::size_t position = 0;
  for (const char* step : {"\nhost, plain", "\nhost, cache", "\nrow_groups", "\nnaive", "\ncoalesced",
                           "\ntiled", "\nwpt", "\nblock_1d", "\nfloat4", "\nfloat8", "\nblock_2d_plain",
                           "\nblock_2d_fours", "\nblock_2d_buffered", "\nblock_2d ", "\nbest / naive"}) {
    INFO(step);
    position = finished.out.find(step, position);
    CHECK(position != std::string::npos);
  }
  CHECK(finished.out.find("FAILED") == std::string::npos);
  CHECK(finished.out.find("+-: with 95 % confidence") != std::string::npos);
  CHECK(finished.out.find("Warning: with fewer than 6 runs") != std::string::npos);
}

TEST_CASE("a size that does not fit is an error, and the others are measured") {
  for (const char* sizes :
       {"--size 1000000x1000000x8 --size 8 --size 9", "--size 8 --size 1000000x1000000x8 --size 9"}) {
    const Finished finished = bench(fmt::format("{} --peer none --format json{}", sizes, quick));
    CHECK(finished.status == 1);
    CHECK(finished.err.find("1000000 x 1000000 x 8") != std::string::npos);
    CHECK(finished.err.find("1000000 x 1000000 x 8") == finished.err.rfind("1000000 x 1000000 x 8"));
    const Json rows = Json::parse(finished.out).at("rows");
    REQUIRE(rows.size() == 2);
    CHECK(rows.at(0).at("m") == 8);
    CHECK(rows.at(1).at("m") == 9);
  }
  const Finished alone = bench("--size 1000000x1000000x8 --peer none --format json" + std::string(quick));
  CHECK(alone.status == 1);
  CHECK(alone.out.empty());
  CHECK(alone.err.find("larger than") != std::string::npos);
}

TEST_CASE("each line of the CSV has as many cells as there are titles") {
  const Finished finished =
      bench("--kernel naive --kernel wpt --size 12 --size 7x8x9 --format csv" + std::string(quick));
  REQUIRE(finished.status == 0);
  const std::vector<std::ptrdiff_t> cells = clgemm::test::cells_of_lines(finished.out);
  CHECK(finished.out.starts_with("device,precision,kernel,"));
  CHECK(finished.out.find(",clblast_median_ms,") != std::string::npos);
  CHECK(finished.out.find(",fp32_equivalent,wpt,") != std::string::npos);
  CHECK(cells.size() == 5);
  for (const std::ptrdiff_t count : cells) CHECK(count == cells.front());
}

TEST_CASE("--output receives what standard output would receive") {
  const TemporaryFolder folder;
  const Finished finished = bench("--size 9 --format json" + std::string(quick) + "--output " +
                                  (folder.path() / "rows.json").string());
  CHECK(finished.status == 0);
  CHECK(finished.out.empty());
  CHECK(Json::parse(text_of_file((folder.path() / "rows.json").string())).at("rows").size() == 1);
}

TEST_CASE("the lists name every kernel and device, and --help prints the help") {
  const Finished kernels = bench("--list-kernels");
  CHECK(kernels.status == 0);
  for (const std::string& name : clgemm::KernelLibrary().names(clgemm::Role::gemm)) {
    INFO(name);
    CHECK(("\n" + kernels.out).find("\n" + name + ":") != std::string::npos);
  }
  CHECK(kernels.out.find("float8") != std::string::npos);
  const Finished devices = bench("--list-devices");
  CHECK(devices.status == 0);
  CHECK(devices.out.find("* ") != std::string::npos);
  const auto with = [](const std::string& variables, const std::string& options) {
    return clgemm::test::run_program(fmt::format("{} '{}' {}", variables, CLGEMM_BENCH_PROGRAM, options));
  };
  const Finished none = with("CLGEMM_DEVICE=nosuch", "--list-devices");
  CHECK(none.status == 0);
  CHECK(none.out.find("CLGEMM_DEVICE: no OpenCL device matches 'nosuch'") != std::string::npos);
  const Finished twins =
      with("POCL_DEVICES='pthread basic' CLGEMM_LOG=info", "--explain --size 8 --device pocl");
  if (twins.status == 0) CHECK(twins.err.find("'pocl' matches 2 devices") != std::string::npos);
  CHECK(bench("--help").status == 0);
  CHECK(bench("--help").out.find("--ladder") != std::string::npos);
  CHECK(bench("--version").out.rfind("clgemm-bench ", 0) == 0);
}

// The kernel is right for the usual calls: no transposes, no gaps, nothing after C.
TEST_CASE("a kernel that is right only for the sampled elements FAILED") {
  const TemporaryFolder folder;
  const std::string store = "  store_c(c, ldc, m, n, row, column, product.alpha, sum, product.beta);";
  // At a square size, there are as many square tiles down as across.
  std::string exchanged = altered_kernel("grid: columns rows", "grid: rows columns");
  exchanged.replace(exchanged.find("COLUMNS = 32"), 12, "COLUMNS = 8");
  // Writes up to 29 lines after C's end.
  std::string unbounded = altered_kernel(
      "  if (row >= m || column >= n) return;",
      "  if (column >= n) return;\n  if (row >= m) {\n    c[row * ldc + column] = 0.0f;\n    return;\n  }");
  unbounded.replace(unbounded.find("ROWS = 8"), 8, "ROWS = 32");
  const std::pair<std::string, std::string> wrong[] = {
      {exchanged, "at 67 x 197 x 33"},
      {unbounded, "wrote outside C: element 0 after its end"},
      {altered_kernel(store, store + "\n  if (column == n - 1 && ldc > n) c[row * ldc + n] = 0.0f;"),
       "wrote outside C: element 0 of the gap after row 0"},
      {altered_kernel(store, store + "\n  if (row == m - 1 && column == n - 1) c[m * ldc] = 1.0f;"),
       "wrote outside C: element 0 after its end"},
      {altered_kernel("element_of_a(a, lda, row, depth)", "a[row * lda + depth]"), "A transposed"},
      {altered_kernel("product.alpha, sum,", "1.0f, sum,"), "instead of"},
  };
  for (const auto& [text, fault] : wrong) {
    INFO(text);
    const Finished finished =
        bench("--size 24" + std::string(quick) + "--kernel " + folder.write("wrong.cl", text));
    INFO(finished.out << finished.err);
    CHECK(finished.status == 1);
    CHECK(finished.out.find("FAILED") != std::string::npos);
    CHECK(finished.out.find(fault) != std::string::npos);
  }
}

std::string write_endless_kernel(const TemporaryFolder& folder) {
  return folder.write(
      "endless.cl",
      altered_kernel("  float sum = 0.0f;",
                     "  float sum = 0.0f;\n  while (alpha < 1e9f) sum += *(volatile __global float*)c;"));
}

TEST_CASE("a kernel that never ends costs only the time of its trial, in another process") {
  if (clgemm::test::is_on_llvmpipe()) {
    WARN("NOT TESTED on llvmpipe, which ends every loop: a kernel that never ends");
    return;
  }
  const TemporaryFolder folder;
  const std::string path = write_endless_kernel(folder);
  const Finished finished = bench("--size 24 --trial-seconds 2 --kernel " + path);
  CHECK(finished.status == 1);
  CHECK(finished.err.find("tried in a separate process: there was no result within 2 s") !=
        std::string::npos);

  // timeout(1) also sends it to the trial's process, like a terminal.
  const Finished interrupted = clgemm::test::run_program(
      fmt::format("timeout --preserve-status --kill-after 30 --signal INT 2 '{}' --size 24 --kernel {}",
                  CLGEMM_BENCH_PROGRAM, path));
  CHECK(interrupted.status == 130);
  CHECK(interrupted.err.find("interrupted") != std::string::npos);
  CHECK(interrupted.err.find("ended by signal") == std::string::npos);
}
