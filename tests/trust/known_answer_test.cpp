// Self-tests pass for right kernels and find wrong ones. A wrong kernel is not chosen any more, in this
// process and in later ones.
#include "trust/known_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>

#include "context/context.hpp"
#include "plan/blocks.hpp"
#include "plan/make_plan.hpp"
#include "support/first_choice.hpp"
#include "support/kernel_text.hpp"
#include "support/on_device.hpp"
#include "support/planes.hpp"
#include "support/program.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"
#include "trust/trust.hpp"

namespace clgemm {
namespace {

using namespace test;
using Clock = std::chrono::steady_clock;

ProgramCache& programs() {
  static ProgramCache* const cache = new ProgramCache(shared_cl_context(), shared_device(),
                                                      shared_device_info(), DiskCache::from_environment());
  return *cache;
}

// Returns a problem of this size with operands without gaps.
Problem problem_of(std::size_t size, bool transpose_a, bool transpose_b) {
  Problem result{{size, size, size}, 1, 0, {}, {}, {}};
  const std::size_t alignment = shared_device_info().base_alignment_bytes / sizeof(float);
  result.a = {transpose_a, size, 0, 0, alignment};
  result.b = {transpose_b, size, 0, 0, alignment};
  result.c = {false, size, 0, 0, alignment};
  return result;
}

BuiltPlan built_plan(const Problem& problem, const std::string& kernel) {
  static ConfigCache* const configs = new ConfigCache(shared_device_info(), kernel_folder_or_default({}));
  return build(make_plan(problem, {kernel, {}}, *configs, unlimited_scratch), programs(), Purpose::named);
}

bool passes(const BuiltPlan& built) {
  return gives_known_answer(built, TestNumbers{}, shared_cl_context(), shared_device());
}

// Returns the built-in kernels and variants that this device can run.
std::vector<std::string> runnable_kernels() {
  std::vector<std::string> result;
  for (const std::string& kernel : kernels_to_test()) {
    try {
      built_plan(problem_of(67, false, false), kernel);
      result.push_back(kernel);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::requirement_failed && error.code() != ErrorCode::device_limit_exceeded)
        throw;
      WARN("NOT TESTED on this device: " << error.what());
    }
  }
  return result;
}

TEST_CASE("every kernel passes, with all transposes, packed and in place") {
  for (const std::string& kernel : runnable_kernels()) {
    for (const std::size_t size : {67u, 512u}) {
      for (const bool transpose_a : {false, true}) {
        for (const bool transpose_b : {false, true}) {
          const Problem problem = problem_of(size, transpose_a, transpose_b);
          const BuiltPlan built = built_plan(problem, kernel);
          const Stage& stage = built.plan.first();
          const bool in_place = !stage.has(ProgramRole::pack_a) && !stage.has(ProgramRole::pack_b);
          INFO(kernel << " of " << size << " transposes " << transpose_a << transpose_b);
          if (size == 512 && !transpose_a && !transpose_b) CHECK(in_place);
          CHECK(passes(built));
        }
      }
    }
  }
}

TEST_CASE("a kernel on fp16 planes that flushes denormal numbers to zero fails only with such numbers") {
  for (const std::int64_t flush : {0, 1}) {
    ConfigCache configs(shared_device_info(), kernel_folder_or_default({}));
    const Config config{CLGEMM_TEST_KERNELS "/from_fp16_planes.cl", {{"FLUSH", flush}}};
    const BuiltPlan built = build(make_plan(problem_of(67, false, false), config, configs, unlimited_scratch),
                                  programs(), Purpose::named);
    INFO("FLUSH=" << flush);
    TestNumbers numbers;
    CHECK(gives_known_answer(built, numbers, shared_cl_context(), shared_device()));
    numbers.denormal = true;
    CHECK(gives_known_answer(built, numbers, shared_cl_context(), shared_device()) == (flush == 0));
    const ScopedVariable on("CLGEMM_SELF_TEST", nullptr);
    Verifier verifier(shared_cl_context(), shared_device(), shared_device_info(), programs());
    if (flush == 0) {
      CHECK_NOTHROW(verifier.verify(built));
    } else {
      CHECK_ERROR([&] { verifier.verify(built); }, self_test_failed, "'from_fp16_planes'");
    }
  }
}

TEST_CASE("a self-test takes less than 50 ms, without compilation") {
  constexpr std::chrono::milliseconds bound{50};
  for (const std::string& kernel : runnable_kernels()) {
    const Problem problem = problem_of(67, false, false);
    const BuiltPlan built = built_plan(problem, kernel);
    passes(built);  // some implementations finish compiling during the first run
    Clock::duration best = std::chrono::hours(1);
    for (int round = 0; round < 100 && best >= bound; ++round) {  // other work may disturb most of them
      const auto start = Clock::now();
      passes(built);
      best = std::min(best, Clock::now() - start);
    }
    const double best_ms = std::chrono::duration<double, std::milli>(best).count();
    INFO(kernel << ": " << best_ms << " ms");
    CHECK(best < bound);
  }
}

// A right kernel, simple enough to have one mistake at a time.
const std::string right_kernel =
    "// clgemm: mine\n"
    "// summary: one work-item an element\n"
    "// operands: in_place\n"
    "// tile: 4 8 1\n"
    "// local: 8 4\n"
    "// grid: columns rows\n"
    "\n"
    "#include \"common/in_place.cl\"\n"
    "__kernel __attribute__((reqd_work_group_size(8, 4, 1)))\n"
    "void gemm(const int m, const int n, const int k, const float alpha,\n"
    "          __global const float* a, const ulong a_offset, const ulong lda, const ulong a_stride,\n"
    "          __global const float* b, const ulong b_offset, const ulong ldb, const ulong b_stride,\n"
    "          const float beta, __global float* c, const ulong c_offset, const ulong ldc,\n"
    "          const ulong c_stride) {\n"
    "  const size_t batch = get_global_id(2);\n"
    "  a += a_offset + batch * a_stride;\n"
    "  b += b_offset + batch * b_stride;\n"
    "  c += c_offset + batch * c_stride;\n"
    "  const int column = get_global_id(0);\n"
    "  const int row = get_global_id(1);\n"
    "  if (row >= m || column >= n) return;\n"
    "  float sum = 0.0f;\n"
    "  for (int depth = 0; depth < k; ++depth)\n"
    "    sum += element_of_a(a, lda, row, depth) * element_of_b(b, ldb, depth, column);\n"
    "  c[row * ldc + column] = alpha * sum + beta * c[row * ldc + column];\n"
    "}\n";

struct Mistake {
  const char* what;
  const char* from;
  const char* to;
};

TEST_CASE("a kernel with one mistake fails") {
  const TemporaryFolder folder;
  const std::vector<Mistake> mistakes = {
      {"forgets the last step of k", "depth < k;", "depth < k - 1;"},
      {"takes one step of k too many", "depth = 0;", "depth = -(row == 0 && column == 1);"},
      {"ignores alpha", "alpha * sum", "sum"},
      {"ignores beta", "+ beta * c[row * ldc + column]", ""},
      {"adds C without beta", "+ beta * c", "+ c"},
      {"writes one column past n", "  float sum",
       "  if (column == n - 1) c[row * ldc + n] = 0.0f;\n  float sum"},
      {"writes one row past m", "  float sum",
       "  if (row == m - 1) c[m * ldc + column] = 0.0f;\n  float sum"},
      {"writes in front of C", "  float sum", "  if (row + column == 0) c[-1] = 0.0f;\n  float sum"},
      {"ignores the batch's stride of A", " + batch * a_stride", ""},
      {"ignores the batch's stride of B", " + batch * b_stride", ""},
      {"ignores the batch's stride of C", " + batch * c_stride", ""},
      {"ignores the offset of A", "a_offset + ", ""},
      {"ignores the offset of B", "b_offset + ", ""},
      {"ignores the offset of C", "c_offset + ", ""},
      {"takes one row of A for another", "lda, row,", "lda, row == 3 ? 2 : row,"},
      {"takes n for the leading dimension of C", "row * ldc", "row * n"},
      {"is wrong in the last row only, beyond the whole tiles", "  c[row",
       "  if (row >= m / 4 * 4) sum += 1.0f;\n  c[row"},
      {"is wrong in the last column only, beyond the whole tiles", "  c[row",
       "  if (column >= n / 8 * 8) sum += 1.0f;\n  c[row"},
      {"is wrong in one element", "  c[row", "  if (row == 3 && column == 5) sum += 1.0f;\n  c[row"},
      {"leaves out the last row", "row >= m ", "row >= m - 1 "},
  };
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      const Problem problem = problem_of(67, transpose_a, transpose_b);
      CHECK(passes(built_plan(problem, folder.write("right.cl", right_kernel))));
    }
  }
  const Problem problem = problem_of(67, false, false);
  for (const Mistake& mistake : mistakes) {
    std::string text = right_kernel;
    INFO(mistake.what);
    std::size_t count = 0;
    for (auto at = text.find(mistake.from); at != std::string::npos;
         at = text.find(mistake.from, at + std::strlen(mistake.to))) {
      text.replace(at, std::strlen(mistake.from), mistake.to);
      ++count;
    }
    REQUIRE(count > 0);
    const std::string file = fmt::format("wrong{}.cl", &mistake - mistakes.data());
    CHECK_FALSE(passes(built_plan(problem, folder.write(file, text))));
  }
}

// Returns a variant of the right kernel that is told which operands it may read four elements at a time. It
// gives a wrong result if that is not true.
std::string kernel_of_fours() {
  std::string text = right_kernel;
  const auto replace = [&text](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("// tile: 4 8 1\n", "// tile: 4 8 4\n// align: 4\n");
  replace("  c[row",
          "  const int a_length = TRANSPOSE_A ? m : k;\n"
          "  const int b_length = TRANSPOSE_B ? k : n;\n"
          "  if (ALIGNED_A && (a_length % 4 != 0 || lda % 4 != 0 || a_stride % 4 != 0)) sum += 1.0f;\n"
          "  if (ALIGNED_B && (b_length % 4 != 0 || ldb % 4 != 0 || b_stride % 4 != 0)) sum += 1.0f;\n"
          "  c[row");
  return text;
}

TEST_CASE("a kernel whose work-groups compute several tiles is tested with two for each, and with a batch") {
  const std::string text = text_of_file(CLGEMM_TEST_KERNELS "/several_tiles.cl");
  for (const auto& [right, wrong] : {std::pair{"several_tiles", "several_tiles"},
                                     {"number += get_num_groups(0)", "number += 2 * get_num_groups(0)"},
                                     {" + batch * a_stride", ""}}) {
    INFO(wrong);
    std::string changed = text;
    const std::size_t place = changed.find(right);
    REQUIRE(place != std::string::npos);
    changed.replace(place, std::strlen(right), wrong);
    const TemporaryFolder folder;
    folder.write("several_tiles.cl", changed);
    ConfigCache configs(shared_device_info(), folder.path().string());
    const Plan plan =
        make_plan(problem_of(67, false, false), {"several_tiles", {}}, configs, unlimited_scratch);
    CHECK(passes(build(plan, programs(), Purpose::named)) == (changed == text));
  }
}

TEST_CASE(
    "a kernel for small k is tested with a k that is a little less than its largest one, and than a step") {
  struct Case {
    const char* depth;
    const char* wrong_if;
    bool passes;
  };
  for (const auto& [depth, wrong_if, right] :
       {Case{"64", "k > 64", true}, Case{"64", "k == 63", false}, Case{"64", "k < 63", true},
        Case{"32", "k > 64", true}, Case{"32", "k == 63", false}, Case{"32", "k == 31", false},
        Case{"32", "k != 63 && k != 31", true}, Case{"1", "k != 63", true}}) {
    CAPTURE(depth, wrong_if);
    std::string text = right_kernel;
    const auto replace = [&text](const std::string& from, const std::string& to) {
      text.replace(text.find(from), from.size(), to);
    };
    replace("// tile: 4 8 1\n", "// tile: 4 8 " + std::string(depth) + "\n// most_k: 64\n");
    replace("  c[row", "  if (" + std::string(wrong_if) + ") sum += 1.0f;\n  c[row");
    const TemporaryFolder folder;
    folder.write("mine.cl", text);
    ConfigCache configs(shared_device_info(), folder.path().string());
    const Plan plan = make_plan(problem_of(64, false, false), {"mine", {}}, configs, unlimited_scratch);
    CHECK(passes(build(plan, programs(), Purpose::named)) == right);
  }
}

TEST_CASE("a kernel that reads one operand four elements at a time is tested with odd lines of the other") {
  const TemporaryFolder folder;
  std::string wrong_a = kernel_of_fours();
  wrong_a.insert(wrong_a.find("  if (ALIGNED_A"), "  if (a_length % 4 != 0) sum += 1.0f;\n");
  std::string wrong_b = kernel_of_fours();
  wrong_b.insert(wrong_b.find("  if (ALIGNED_A"), "  if (b_length % 4 != 0) sum += 1.0f;\n");
  const std::string right_file = folder.write("fours.cl", kernel_of_fours());
  const std::string wrong_a_file = folder.write("wrong_a.cl", wrong_a);
  const std::string wrong_b_file = folder.write("wrong_b.cl", wrong_b);
  for (const auto& [transpose_a, transpose_b] : {std::pair{false, false}, {true, false}, {true, true}}) {
    for (const bool a_in_fours : {false, true}) {
      Problem problem = problem_of(64, transpose_a, transpose_b);
      Operand& odd = a_in_fours ? problem.b : problem.a;
      odd.ld = 67;
      INFO("transposes " << transpose_a << transpose_b << ", A in fours: " << a_in_fours);
      const BuiltPlan built = built_plan(problem, right_file);
      CHECK(built.plan.first().gemm().macros.at("ALIGNED_A") == (a_in_fours ? 1 : 0));
      CHECK(built.plan.first().gemm().macros.at("ALIGNED_B") == (a_in_fours ? 0 : 1));
      CHECK(passes(built));
      CHECK(passes(built_plan(problem, wrong_a_file)) == a_in_fours);
      CHECK(passes(built_plan(problem, wrong_b_file)) == !a_in_fours);
    }
  }
}

// Counts the entries of a cache folder with this trust. The header is magic[8], format[4], trust[4].
std::size_t entries_with(DiskCache::Trust trust, const std::filesystem::path& folder) {
  std::size_t result = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    char header[16] = {};
    stream.read(header, sizeof header);
    REQUIRE(stream);
    std::uint32_t found = 0;
    std::memcpy(&found, header + 12, sizeof found);
    if (found == static_cast<std::uint32_t>(trust)) ++result;
  }
  return result;
}

// The environment of a process: an empty cache, and a kernel folder with a wrong first choice.
struct World {
  TemporaryFolder cache;
  TemporaryFolder kernels;
  ScopedVariable cache_folder{"CLGEMM_CACHE_DIR", cache.path()};
  ScopedVariable self_test{"CLGEMM_SELF_TEST", nullptr};
  Options options;

  World() {
    write_wrong_first_choice(kernels);
    options.kernel_folder = kernels.path().string();
  }
};

// A chain of three kernels. The second one loses its third plane of A.
TEST_CASE("a fallback is tested with numbers that need all of its planes") {
  const TemporaryFolder folder;
  folder.write("from_fp16_planes.cl", replaced(kernel_text("from_fp16_planes.cl"), "fallback: fallback_fp32",
                                               "fallback: from_planes"));
  const auto verify = [&folder](const std::string& second) {
    const TemporaryFolder cache;
    folder.write("from_planes.cl", second);
    ConfigCache configs(shared_device_info(), folder.path().string());
    ProgramCache built_here(shared_cl_context(), shared_device(), shared_device_info(),
                            DiskCache(cache.path() / "cache", std::uintmax_t{1} << 20));
    const Plan plan =
        make_plan(problem_of(67, false, false), {"from_fp16_planes", {}}, configs, unlimited_scratch);
    Verifier(shared_cl_context(), shared_device(), shared_device_info(), built_here)
        .verify(build(plan, built_here, Purpose::chosen));
  };
  const std::string right = kernel_text("from_planes.cl");
  CHECK_NOTHROW(verify(right));
  const std::string of_a = "plane_value(a_planes, plane, row, depth, k)";
  CHECK_ERROR([&] { verify(replaced(right, of_a, "(plane == 2 ? 0.0f : " + of_a + ")")); }, self_test_failed,
              "'from_planes'");
}

// Numbers that planes cannot hold matter only in the operand that is packed. With TINY, the kernel itself
// computes with numbers that are too small for planes.
TEST_CASE("the fallback of a kernel that reads one operand in place is tested, too") {
  for (const std::int64_t values : {0, 1, 2, 3}) {
    const std::int64_t swap = values % 2, tiny = values / 2;
    INFO("SWAP=" << swap << ", TINY=" << tiny);
    const TemporaryFolder folder;
    folder.write("from_one_packed.cl",
                 replaced(kernel_text("from_one_packed.cl"), "fallback: fallback_fp32", "fallback: mine"));
    const auto verify = [&](const std::string& fallback, bool transpose_a, bool transpose_b) {
      const TemporaryFolder cache;
      folder.write("mine.cl", fallback);
      ConfigCache configs(shared_device_info(), folder.path().string());
      ProgramCache built_here(shared_cl_context(), shared_device(), shared_device_info(),
                              DiskCache(cache.path() / "cache", std::uintmax_t{1} << 20));
      const Plan plan = make_plan(problem_of(67, transpose_a, transpose_b),
                                  {"from_one_packed", {{"SWAP", swap}, {"TINY", tiny}, {split_parameter, 2}}},
                                  configs, unlimited_scratch);
      CHECK(plan.first().adds_slices());
      Verifier(shared_cl_context(), shared_device(), shared_device_info(), built_here)
          .verify(build(plan, built_here, Purpose::chosen));
    };
    std::string right = replaced(right_kernel, "// operands: in_place\n", "// role: fallback\n");
    right = replaced(right, "gemm(", "fallback(");
    right = replaced(right, "const ulong c_stride) {\n",
                     "const ulong c_stride, __global uint* notes, const ulong before) {\n"
                     "  if (is_done(notes, before)) return;\n");
    right = replaced(right, "\n#include", "\n#include \"common/notes.cl\"\n#include");
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) CHECK_NOTHROW(verify(right, transpose_a, transpose_b));
    }
    CHECK_ERROR([&] { verify(replaced(right, "alpha * sum", "sum"), false, false); }, self_test_failed,
                "'mine'");
  }
}

TEST_CASE("a wrong kernel is found, reported, put in quarantine and never chosen again") {
  const World world;
  const std::string not_used = "not used: " + first_choice();
  {
    Context context(shared_device()());
    CHECK(is_right_on(context, world.options));
    const std::string explained = explain_on(context, world.options);
    INFO(explained);
    CHECK(contains(explained, not_used));
    CHECK(contains(explained, "gave a wrong result in its self-test on '" + shared_device_info().name));
    CHECK(is_right_on(context, world.options));
  }
  const std::size_t quarantined = entries_with(DiskCache::Trust::quarantined, world.cache.path());
  CHECK(quarantined >= 1);
  {
    Context context(shared_device()());
    CHECK(is_right_on(context, world.options));
    const std::string explained = explain_on(context, world.options);
    INFO(explained);
    CHECK(contains(explained, not_used));
    // It knows this from the cache, and did not test again.
    CHECK(contains(explained, "is in quarantine, because it gave a wrong result"));
    CHECK_FALSE(contains(explained, "self-test on '"));
  }
  CHECK(entries_with(DiskCache::Trust::quarantined, world.cache.path()) == quarantined);
}

TEST_CASE(
    "the first explain() names the rejected configs, before any call, and the choice has them as data") {
  const World world;
  Context context(shared_device()());
  const std::string explained = explain_on(context, world.options);
  INFO(explained);
  CHECK(contains(explained, "not used: " + first_choice()));
  CHECK(contains(explained, "\npredicted: "));
  // The kernel that runs anywhere has no fallback.
  const bool is_last_resort = contains(explained, "\nchosen: runs anywhere");
  CHECK(contains(explained, "\nrunner-up: ") != is_last_resort);

  const Problem problem = problem_of(150, false, false);
  const auto chosen = state_of(context).plan(problem, world.options);
  const Choice& choice = chosen->choice;
  CHECK(choice.chosen.config == chosen->built.plan.config);
  REQUIRE(choice.chosen.seconds);
  CHECK(*choice.chosen.seconds > 0.0);
  CHECK(choice.runners_up.empty() == is_last_resort);
  // The previous call gave it up, unless this size has other parameters.
  const auto is_wrong = [](const Rejected& one) {
    return one.config.kernel == first_choice() &&
           (one.fault == Fault::excluded || one.fault == Fault::wrong_result);
  };
  CHECK(std::any_of(choice.rejected.begin(), choice.rejected.end(), is_wrong));
}

TEST_CASE("a wrong GEMM kernel does not quarantine its packing kernel") {
  const World world;
  {
    Context context(shared_device()());
    CHECK(is_right_on(context, world.options));
  }
  // The built-in kernel of the same name uses the same packing kernel as the wrong one.
  Context context(shared_device()());
  const std::string explained = explain_on(context, {});
  INFO(explained);
  CHECK_FALSE(says_failed(explained));
  CHECK(contains(explained, "kernel: " + first_choice()));
}

// Kernels from one folder in one process, tested as the choice tests them.
struct Testing {
  explicit Testing(const TemporaryFolder& kernels) : configs(shared_device_info(), kernels.path().string()) {}

  void verify(const std::string& kernel) {
    const Plan plan = make_plan(problem_of(67, false, false), {kernel, {}}, configs, unlimited_scratch);
    REQUIRE(plan.first().has(ProgramRole::pack_a));
    verifier.verify(build(plan, built, Purpose::chosen));
  }
  std::vector<std::string> in_quarantine() {
    built.finish_keeping();
    std::vector<std::string> result;
    for (const auto& verdict : disk.verdicts()) result.push_back(verdict.program);
    return result;
  }

  TemporaryFolder cache;
  DiskCache disk{cache.path(), std::uintmax_t{1} << 24};
  ConfigCache configs;
  ProgramCache built{shared_cl_context(), shared_device(), shared_device_info(), disk};
  Verifier verifier{shared_cl_context(), shared_device(), shared_device_info(), built};
};

std::string built_in_kernel(const std::string& file) {
  return KernelFolders().find_kernel(file).value().text;
}

TEST_CASE("a GEMM kernel that is wrong only together with its packing kernel is found") {
  const TemporaryFolder kernels;
  const ScopedVariable on("CLGEMM_SELF_TEST", nullptr);
  // Wrong if an operand is at the start of its buffer, which in a self-test only applies to packed ones.
  kernels.write("tiled.cl",
                with_argument(built_in_kernel("tiled.cl"), "float", "alpha",
                              "stated + (given.b_offset == 0 || given.a_offset == 0 ? 1.0f : 0.0f)"));
  Testing testing(kernels);
  CHECK_ERROR([&] { testing.verify("tiled"); }, self_test_failed, "'tiled' gave a wrong result");
  CHECK_ERROR([&] { testing.verify("tiled"); }, self_test_failed, "together with 'pack_padded'");
  CHECK(testing.in_quarantine().empty());
  CHECK_NOTHROW(testing.verify("wpt"));  // this finds the other one
  CHECK_ERROR([&] { testing.verify("tiled"); }, self_test_failed, "quarantine");
  REQUIRE(testing.in_quarantine().size() == 1);
  CHECK(contains(testing.in_quarantine()[0], "'tiled'"));
  CHECK(contains(testing.in_quarantine()[0], shared_device_info().name));
}

TEST_CASE("a packing kernel that is wrong with two GEMM kernels is put in quarantine") {
  const TemporaryFolder kernels;
  const ScopedVariable on("CLGEMM_SELF_TEST", nullptr);
  // It leaves out the last row.
  kernels.write("pack_padded.cl",
                replaced(built_in_kernel("pack_padded.cl"), "row < m &&", "row + 1 < m &&"));
  Testing testing(kernels);
  CHECK_ERROR([&] { testing.verify("tiled"); }, self_test_failed, "together with 'pack_padded'");
  CHECK(testing.in_quarantine().empty());
  CHECK_ERROR([&] { testing.verify("wpt"); }, self_test_failed, "'pack_padded'");
  REQUIRE(testing.in_quarantine().size() == 1);
  CHECK(contains(testing.in_quarantine()[0], "'pack_padded'"));
}

TEST_CASE("a kernel that is out of quarantine is tested again") {
  const World world;
  const auto explained = [&] {
    Context context(shared_device()());
    is_right_on(context, world.options);
    return explain_on(context, world.options);
  };
  CHECK(contains(explained(), "self-test on '"));
  CHECK_FALSE(contains(explained(), "self-test on '"));
  CHECK_FALSE(DiskCache::from_environment().verdicts().empty());
  DiskCache::from_environment().clear_verdicts();
  CHECK(DiskCache::from_environment().verdicts().empty());
  CHECK(contains(explained(), "self-test on '"));
}

TEST_CASE("a config that was excluded in one kernel folder is still chosen from another") {
  const World world;
  Context context(shared_device()());
  CHECK(is_right_on(context, world.options));
  CHECK(contains(explain_on(context, {}), "kernel: " + first_choice()));
  CHECK(is_right_on(context, {}));
}

TEST_CASE("a kernel that the caller names is used, wrong or not") {
  World world;
  name_first_choice(world.options);
  Context context(shared_device()());
  CHECK_FALSE(is_right_on(context, world.options));
  world.options.kernel.clear();
  world.options.parameters.clear();
  CHECK(is_right_on(context, world.options));
  name_first_choice(world.options);
  CHECK_FALSE(is_right_on(context, world.options));

  Context later(shared_device()());  // this process finds it in quarantine
  CHECK_FALSE(is_right_on(later, world.options));
}

TEST_CASE("without self-tests the wrong kernel is used") {
  const World world;
  const ScopedVariable off("CLGEMM_SELF_TEST", "0");
  Context context(shared_device()());
  CHECK_FALSE(is_right_on(context, world.options));
  CHECK_FALSE(says_failed(explain_on(context, world.options)));
}

TEST_CASE("a kernel that passed is not tested again by a later process") {
  const TemporaryFolder cache;
  const ScopedVariable folder("CLGEMM_CACHE_DIR", cache.path());
  const ScopedVariable on("CLGEMM_SELF_TEST", nullptr);
  {
    Context context(shared_device()());
    CHECK(is_right_on(context, {}));
  }
  CHECK(entries_with(DiskCache::Trust::tested, cache.path()) >= 1);
  CHECK(entries_with(DiskCache::Trust::untested, cache.path()) == 0);
  CHECK(entries_with(DiskCache::Trust::quarantined, cache.path()) == 0);
}

}  // namespace
}  // namespace clgemm
