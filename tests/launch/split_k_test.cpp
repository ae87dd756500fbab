// Split-K, forced on kernels that pack operands and on kernels that do not. The result is right for any
// contents of the operands, of C and of the scratch, and has the same bits every time.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "kernel/kernel_config.hpp"
#include "plan/blocks.hpp"
#include "plan/make_plan.hpp"
#include "support/on_device.hpp"
#include "support/reference.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"
#include "trust/known_answer.hpp"

namespace clgemm {
namespace {

using namespace test;

// One kernel reads A and B in place, and two need whole tiles. Their tiles have different sizes.
const char* const kernels[] = {"coalesced", "tiled", "wpt"};

Options split_options(const std::string& kernel, std::int64_t parts) {
  Options options;
  options.kernel = kernel;
  options.parameters = {{split_parameter, parts}};
  return options;
}

std::string explain(const GemmCase& gemm, const Options& options) {
  SgemmShape shape{gemm.form.layout,
                   gemm.form.transpose_a,
                   gemm.form.transpose_b,
                   gemm.shape.m,
                   gemm.shape.n,
                   gemm.shape.k,
                   gemm.a.ld,
                   gemm.b.ld,
                   gemm.c.ld};
  return shared_context().explain(shape, options);
}

// Values of k that divide into whole slices, that leave a rest, and that make fewer slices than requested.
const Shape shapes[] = {{33, 35, 256}, {19, 67, 257}, {64, 64, 191}, {1, 5, 100}, {5, 1, 7}, {3, 3, 1}};

TEST_CASE("split-K: every shape, form, alpha and beta, and placement") {
  std::uint32_t seed = 0;
  for (const char* kernel : kernels) {
    for (const Shape& shape : shapes) {
      for (const Form& form : all_forms()) {
        const Placement& placement = all_placements()[++seed % all_placements().size()];
        const Scalars& scalars = all_scalars()[seed % all_scalars().size()];
        const GemmCase gemm = make_gemm_case(form, shape, scalars, placement);
        INFO(kernel << ": " << describe(gemm));
        check_on_device(gemm, random_data(gemm, seed), split_options(kernel, 2 + seed % 4));
      }
    }
  }
}

TEST_CASE("kernels and helpers may take their numbers one by one") {
  std::uint32_t seed = 0;
  for (const char* kernel : {"coalesced", "tiled"}) {
    for (const Form& form : all_forms()) {
      const Placement& placement = all_placements()[++seed % all_placements().size()];
      const Scalars& scalars = all_scalars()[seed % all_scalars().size()];
      const GemmCase gemm = make_gemm_case(form, {37, 41, 257}, scalars, placement);
      INFO(kernel << ": " << describe(gemm));
      Options options = split_options(kernel, 1 + seed % 3);
      options.kernel_folder = CLGEMM_TEST_KERNELS "/one_by_one";
      check_on_device(gemm, random_data(gemm, seed), options);
    }
  }
}

Options adding_options(std::int64_t parts) {
  Options options;
  options.kernel_file = CLGEMM_TEST_KERNELS "/adding_parts.cl";
  options.parameters = {{split_parameter, parts}};
  return options;
}

TEST_CASE(
    "a kernel that adds up the slices itself is right in one launch, repeatedly, on both kinds of queue") {
  std::uint32_t seed = 0;
  for (const Shape& shape : shapes) {
    for (const Form& form : all_forms()) {
      const Placement& placement = all_placements()[++seed % all_placements().size()];
      const Scalars& scalars = all_scalars()[seed % all_scalars().size()];
      const GemmCase gemm = make_gemm_case(form, shape, scalars, placement);
      INFO(describe(gemm));
      check_on_device(gemm, random_data(gemm, seed), adding_options(1 + seed % 5));
    }
  }
  const GemmCase gemm = make_gemm_case(all_forms()[1], {37, 41, 2001}, {3, -2}, all_placements()[1]);
  CHECK(explain(gemm, adding_options(7)).find("added up in the same launch") != std::string::npos);
}

TEST_CASE("gemv also adds up its slices in one launch, if the device allows it") {
  const std::string condition = "adds_parts: nvidia_sm >= 70";
  std::string text = KernelFolders().find_kernel("gemv.cl").value().text;
  REQUIRE(text.find(condition) != std::string::npos);
  text.replace(text.find(condition), condition.size(), "adds_parts: 1");
  const TemporaryFolder folder;
  folder.write("gemv.cl", text);
  Options options = split_options("gemv", 0);
  options.kernel_folder = folder.path().string();
  std::uint32_t seed = 0;
  // One column, with an incomplete last work-group, and slices of whole steps and of less; and three columns.
  for (const Shape& shape : {Shape{197, 1, 2051}, Shape{64, 1, 4096}, Shape{5, 1, 100}, Shape{70, 3, 515}}) {
    for (const Form& form : all_forms()) {
      const Placement& placement = all_placements()[++seed % all_placements().size()];
      const Scalars& scalars = all_scalars()[seed % all_scalars().size()];
      const GemmCase gemm = make_gemm_case(form, shape, scalars, placement);
      INFO(describe(gemm));
      options.parameters[split_parameter] = 1 + seed % 5;
      check_on_device(gemm, random_data(gemm, seed), options);
      if (options.parameters[split_parameter] > 1 && shape.k > 500)
        CHECK(explain(gemm, options).find("added up in the same launch") != std::string::npos);
    }
  }
}

// If a plan lacks a helper, the self-test does without it. So it can tell if the kernel or its helper is
// wrong.
TEST_CASE("a split-K plan whose helper was removed is tested without split-K") {
  ConfigCache configs(shared_device_info(), kernel_folder_or_default({}));
  ProgramCache programs(shared_cl_context(), shared_device(), shared_device_info(),
                        DiskCache::from_environment());
  Problem problem{{64, 64, 512}, 1, 0, {}, {}, {}};
  const std::size_t alignment = shared_device_info().base_alignment_bytes / sizeof(float);
  problem.a = {false, 512, 0, 0, alignment};
  problem.b = problem.c = {false, 64, 0, 0, alignment};
  const Plan plan = make_plan(problem, {"tiled", {{split_parameter, 4}}}, configs, std::size_t{1} << 30);
  REQUIRE(plan.first().has(ProgramRole::reduce));
  BuiltPlan built = build(plan, programs, Purpose::named);
  CHECK(gives_known_answer(built, TestNumbers{}, shared_cl_context(), shared_device()));
  built.plan.stages[0].programs[ProgramRole::reduce] = nullptr;
  built.stages[0][ProgramRole::reduce] = nullptr;
  CHECK(gives_known_answer(built, TestNumbers{}, shared_cl_context(), shared_device()));
}

TEST_CASE("integers give exact results with any number of slices") {
  for (const char* kernel : kernels) {
    for (const std::int64_t parts : {2, 3, 7, 64, 65535}) {
      const GemmCase gemm = make_gemm_case(all_forms()[1], {37, 41, 2001}, {3, -2}, all_placements()[1]);
      const Data data = integer_data(gemm, 7);
      INFO(kernel << " in " << parts);
      CHECK(error_ratio(gemm, data, run_on_device(gemm, data, split_options(kernel, parts))) == 0);
    }
  }
}

TEST_CASE("split-K: the same call gives the same bits, which may differ from those without split-K") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {65, 43, 3001}, {-1.5f, 1}, all_placements()[1]);
  const Data data = random_data(gemm, 11);
  for (const char* kernel : kernels) {
    INFO(kernel);
    const std::vector<float> first = run_on_device(gemm, data, split_options(kernel, 9));
    for (int i = 0; i < 3; ++i) {
      CHECK(same_bits(run_on_device(gemm, data, split_options(kernel, 9)), first));
    }
    CHECK_FALSE(same_bits(run_on_device(gemm, data, split_options(kernel, 1)), first));  // it was split
  }
}

TEST_CASE("split-K: infinities and NaN appear in the same elements as with IEEE arithmetic") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const Shape shape{18, 21, 203};
  for (const char* kernel : kernels) {
    for (const Form& form : all_forms()) {
      const GemmCase gemm = make_gemm_case(form, shape, {1, 1}, all_placements()[1]);
      Data data = random_data(gemm, 3);
      data.a[gemm.a.index(0, 0)] = infinity;  // in the first slice, and in the last
      data.a[gemm.a.index(17, 202)] = std::numeric_limits<float>::quiet_NaN();
      data.b[gemm.b.index(202, 20)] = -infinity;
      data.b[gemm.b.index(0, 1)] = 0;  // meets the Inf of A
      data.c[gemm.c.index(1, 0)] = infinity;
      const std::vector<float> c = run_on_device(gemm, data, split_options(kernel, 4));
      const std::vector<double> expected = reference_result(gemm, data);
      INFO(kernel << ": " << describe(gemm));
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < shape.m * shape.n; ++i) {
        const double got = c[gemm.c.index(i / shape.n, i % shape.n)];
        const bool right = std::isnan(expected[i])   ? std::isnan(got)
                           : std::isinf(expected[i]) ? got == expected[i]
                                                     : std::abs(got - expected[i]) < 1e-3;
        if (!right) ++wrong;
      }
      CHECK(wrong == 0);
      CHECK(damage_around_c(gemm, data, c).empty());
    }
  }
}

TEST_CASE("split-K in blocks because of a scratch limit") {
  for (const char* kernel : {"tiled", "wpt"}) {
    for (const Form& form : all_forms()) {
      const GemmCase gemm = make_gemm_case(form, {70, 75, 600}, {-1.5f, -1.5f}, all_placements()[1]);
      Options options = split_options(kernel, 3);
      options.scratch_limit = 170'000;
      const std::string explained = explain(gemm, options);
      INFO(explained << describe(gemm));
      CHECK_FALSE(contains(explained, "blocks: 1 of"));
      CHECK(contains(explained, "split-K: "));
      check_on_device(gemm, random_data(gemm, 5), options);
    }
  }
}

// Tests the public header's rule for an infinite alpha. The blocks of k have the sums 2, -4 and so on, and
// the whole sum is negative.
TEST_CASE("an infinite alpha multiplies the whole sum, or that of each block of k") {
  const GemmCase gemm = make_gemm_case({Layout::row_major, Transpose::no, Transpose::no}, {70, 75, 600},
                                       {std::numeric_limits<float>::infinity(), 1}, all_placements()[0]);
  Data data = integer_data(gemm, 1);
  std::fill(data.b.begin(), data.b.end(), 1.0f);
  for (std::size_t i = 0; i < gemm.shape.m; ++i) {
    for (std::size_t j = 0; j < gemm.shape.k; ++j) data.a[gemm.a.index(i, j)] = j < 100 ? 2.0f : -4.0f;
  }
  const auto all = [&](const Options& options, auto is_right) {
    const std::vector<float> c = run_on_device(gemm, data, options);
    for (std::size_t i = 0; i < gemm.shape.m; ++i) {
      for (std::size_t j = 0; j < gemm.shape.n; ++j) {
        if (!is_right(c[gemm.c.index(i, j)])) return false;
      }
    }
    return true;
  };
  const auto is_minus_infinity = [](float x) { return std::isinf(x) && x < 0; };
  Options options;
  CHECK(all(options, [&](float x) { return is_minus_infinity(x) || std::isnan(x); }));
  CHECK(all(split_options("tiled", 3), is_minus_infinity));
  options.kernel = "tiled";
  CHECK(all(options, is_minus_infinity));
  options.scratch_limit = 40'000;
  INFO(explain(gemm, options));
  CHECK(all(options, [](float x) { return std::isnan(x); }));
}

TEST_CASE("a batch with split-K computes one matrix at a time") {
  constexpr std::size_t count = 3;
  const Shape shape{17, 9, 130};
  const std::size_t strides[] = {shape.m * shape.k + 5, shape.k * shape.n, shape.m * shape.n + 1};
  std::vector<float> memory[3];
  for (std::uint32_t i = 0; i < 3; ++i) memory[i] = random_elements(count * strides[i], 3 + i);
  for (const char* kernel : kernels) {
    const auto run = [&](std::int64_t parts) {
      const cl::Buffer a = make_buffer(memory[0]);
      const cl::Buffer b = make_buffer(memory[1]);
      const cl::Buffer c = make_buffer(memory[2]);
      shared_context().sgemm_strided_batched(shared_context().queue(), Layout::row_major, Transpose::no,
                                             Transpose::no, shape.m, shape.n, shape.k, 1, {a(), shape.k},
                                             strides[0], {b(), shape.n}, strides[1], 1, {c(), shape.n},
                                             strides[2], count, {}, nullptr, split_options(kernel, parts));
      return read_buffer(c);
    };
    const std::vector<float> whole = run(1);
    const std::vector<float> split = run(4);
    INFO(kernel);
    double largest = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      largest = std::max<double>(largest, std::abs(whole[i] - split[i]));
    }
    CHECK(largest < 1e-4);
    CHECK_FALSE(same_bits(whole, split));
  }
}

TEST_CASE("explain() shows the slices, and the returned scratch size is enough for them") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {32, 32, 1024}, {1, 0}, all_placements()[0]);
  Options options = split_options("coalesced", 8);
  const std::string explained = explain(gemm, options);
  INFO(explained);
  CHECK(contains(explained, "split-K: 8 slices of at most 128 values of k, added up by reduce_parts"));
  SgemmShape shape;
  shape.m = shape.n = 32;
  shape.k = 1024;
  const std::size_t bytes = shared_context().sgemm_scratch_bytes(shape, options);
  CHECK(bytes == 8 * 32 * 32 * sizeof(float));
  const cl::Buffer scratch(shared_cl_context(), CL_MEM_READ_WRITE, bytes);
  options.scratch = scratch();
  check_on_device(gemm, random_data(gemm, 3), options);
}

TEST_CASE("SPLIT_K: allowed values, and kernels that have it") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {8, 8, 64}, {1, 0}, all_placements()[0]);
  const Data data = random_data(gemm, 3);
  for (const std::int64_t parts : {-1, 65536}) {
    CHECK_ERROR([&] { run_on_device(gemm, data, split_options("tiled", parts)); }, invalid_parameter,
                "SPLIT_K");
  }
  const TemporaryFolder folder;
  const std::string manifest =
      "// clgemm: mine\n// summary: s\n// operands: in_place\n// param: SPLIT_K = 1 in 1 2\n// tile: 1 1 1\n"
      "// local: 1 1\n// grid: columns rows\n";
  CHECK_ERROR([&] { run_on_device(gemm, data, split_options(folder.write("mine.cl", manifest), 1)); },
              invalid_kernel_file, "every kernel has this parameter already");
}

// Returns true if a GEMM with split-K passes the self-test with the helpers of this kernel folder.
bool passes_in_slices(const std::string& kernel_folder) {
  const std::size_t alignment = shared_device_info().base_alignment_bytes / sizeof(float);
  Problem problem{{64, 64, 1024}, 1, 0, {}, {}, {}, 1};
  problem.a = {false, 1024, 0, 0, alignment};
  problem.b = {true, 1024, 0, 0, alignment};
  problem.c = {false, 64, 0, 0, alignment};
  ConfigCache configs(shared_device_info(), kernel_folder);
  ProgramCache programs(shared_cl_context(), shared_device(), shared_device_info(),
                        DiskCache::from_environment());
  const Config config{"coalesced", {{split_parameter, 4}}};
  const BuiltPlan built =
      build(make_plan(problem, config, configs, unlimited_scratch), programs, Purpose::named);
  REQUIRE(built.plan.first().has(ProgramRole::reduce));
  CHECK(built.stages.front()[ProgramRole::reduce] != nullptr);
  return gives_known_answer(built, TestNumbers{}, shared_cl_context(), shared_device());
}

TEST_CASE("the self-test finds a wrong reduce kernel") {
  CHECK(passes_in_slices({}));
  struct Mistake {
    const char *from, *to;
  };
  for (const Mistake& mistake :
       {Mistake{"sum += elements[", "sum += 1.0f + elements["},
        Mistake{"part < parts_count", "part < parts_count - 1"},
        Mistake{"alpha, sum, beta", "1.0f, sum, beta"}, Mistake{"c + c_offset", "c"}}) {
    const TemporaryFolder folder;
    std::string text = KernelFolders().find_kernel("reduce_parts.cl").value().text;
    INFO(mistake.from);
    REQUIRE(text.find(mistake.from) != std::string::npos);
    text.replace(text.find(mistake.from), std::strlen(mistake.from), mistake.to);
    folder.write("reduce_parts.cl", text);
    CHECK_FALSE(passes_in_slices(folder.path().string()));
  }
}

}  // namespace
}  // namespace clgemm
