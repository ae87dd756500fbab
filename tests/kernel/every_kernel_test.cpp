// Tests every kernel and every variant that the library lists on a device. A new kernel file is included
// automatically.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "kernel/kernel_config.hpp"
#include "support/catch.hpp"
#include "support/on_device.hpp"
#include "support/pairwise.hpp"
#include "support/reference.hpp"

namespace clgemm {
namespace {

using namespace test;

Options options_of(const std::string& kernel, const Parameters& parameters = {}) {
  Options options;
  options.kernel = kernel;
  options.parameters = parameters;
  return options;
}

KernelConfig config_of(const std::string& kernel) {
  KernelLibrary library(kernel_folder_or_default({}));
  return configure(library.find(kernel), {}, shared_device_info());
}

// Returns why this device cannot run a kernel, or an empty text if it can.
std::string reason_not_to_run(const Options& options) {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {1, 1, 1}, {1, 0}, all_placements()[0]);
  try {
    run_on_device(gemm, random_data(gemm, 1), options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::device_limit_exceeded && error.code() != ErrorCode::requirement_failed)
      throw;
    return error.what();
  }
  return {};
}

// Returns the kernels that this device can run, and prints a warning for the others.
std::vector<std::string> runnable_kernels() {
  static const std::vector<std::string> kernels = [] {
    std::vector<std::string> result;
    for (const std::string& kernel : kernels_to_test()) {
      const std::string reason = reason_not_to_run(options_of(kernel));
      if (reason.empty()) {
        result.push_back(kernel);
      } else {
        WARN("NOT TESTED on this device: " << kernel << ": " << reason);
      }
    }
    return result;
  }();
  return kernels;
}

// Returns the side of the rectangle that a work-group computes at a time. If it takes shares, its tile is
// only their limit.
std::size_t step_of(std::size_t tile, std::size_t share_unit) {
  return share_unit == 0 ? tile : std::min(tile, 4 * share_unit);
}

// Returns shapes that are one smaller than a kernel's tile, equal to it, and larger in each dimension, and
// other shapes of every kind.
std::vector<Shape> shapes_for(const KernelConfig& config) {
  const std::size_t m = step_of(config.tile_rows, config.share_rows);
  const std::size_t n = step_of(config.tile_columns, config.share_columns);
  const std::size_t k = std::min<std::size_t>(config.tile_depth, 512);
  std::vector<Shape> result = {{1, 1, 1},         {31, 37, 29},     {2 * m, 2 * n, 2 * k}, {4 * m + 3, 3, 5},
                               {3, 4 * n + 3, 5}, {3, 5, 1031},     {1, n + 1, k + 1},     {m + 1, 1, k + 1},
                               {m + 1, n + 1, 1}, {2 * m, 2 * n, 3}};
  const auto near = [](std::size_t tile, std::size_t step) {
    return std::max<std::size_t>(tile + step, 2) - 1;
  };
  for (const auto& row : pairwise({3, 3, 3}))
    result.push_back({near(m, row[0]), near(n, row[1]), near(k, row[2])});
  return result;
}

void test_all_cases(const std::string& kernel) {
  const std::vector<Shape> shapes = shapes_for(config_of(kernel));
  std::uint32_t seed = 0;
  for (const auto& row :
       pairwise({shapes.size(), all_forms().size(), all_scalars().size(), all_placements().size()})) {
    const GemmCase gemm =
        make_gemm_case(all_forms()[row[1]], shapes[row[0]], all_scalars()[row[2]], all_placements()[row[3]]);
    INFO(kernel << ": " << describe(gemm));
    check_on_device(gemm, random_data(gemm, ++seed), options_of(kernel));
  }
}

TEST_CASE("there are kernels to test") {
  CHECK(kernels_to_test().size() >= 12);
  CHECK(runnable_kernels().size() >= 1);
}

TEST_CASE("every kernel, shape, form, alpha, beta and placement: each pair of them") {
  for (const std::string& kernel : runnable_kernels()) test_all_cases(kernel);
}

TEST_CASE("integers come out exactly") {
  for (const std::string& kernel : runnable_kernels()) {
    const KernelConfig config = config_of(kernel);
    for (const Form& form : all_forms()) {
      const Shape shape{config.tile_rows + 2, config.tile_columns + 1, 3 * config.tile_depth + 1};
      const GemmCase gemm = make_gemm_case(form, shape, {3, -2}, all_placements()[1]);
      const Data data = integer_data(gemm, 7);
      INFO(kernel << ": " << describe(gemm));
      CHECK(error_ratio(gemm, data, run_on_device(gemm, data, options_of(kernel))) == 0);
    }
  }
}

TEST_CASE("infinities and NaN appear in the same elements as with IEEE arithmetic") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const std::string& kernel : runnable_kernels()) {
    const KernelConfig config = config_of(kernel);
    const Shape shape{config.tile_rows + 2, config.tile_columns + 3, config.tile_depth + 4};
    for (const Form& form : {all_forms()[0], all_forms()[3], all_forms()[5]}) {
      const GemmCase gemm = make_gemm_case(form, shape, {1, 1}, all_placements()[1]);
      Data data = random_data(gemm, 3);
      const auto [m, n, k] = shape;
      data.a[gemm.a.index(0, 0)] = infinity;
      data.a[gemm.a.index(m - 1, k - 1)] = std::numeric_limits<float>::quiet_NaN();
      data.b[gemm.b.index(k - 1, n - 1)] = -infinity;
      data.b[gemm.b.index(0, 1)] = 0;  // meets the Inf of A
      data.c[gemm.c.index(1, 0)] = infinity;
      const std::vector<float> c = run_on_device(gemm, data, options_of(kernel));
      const std::vector<double> expected = reference_result(gemm, data);
      INFO(kernel << ": " << describe(gemm));
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < m * n; ++i) {
        const double got = c[gemm.c.index(i / n, i % n)];
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

// Uses ones, followed along k by as many minus ones. Their number is such that the slices of a tile do not
// cancel on their own. With alpha, the sum of any few products overflows.
void check_that_alpha_comes_last(const Options& options, const KernelConfig& config) {
  const std::size_t k = (config.tile_depth % 2 == 0 ? 3 : 6) * config.tile_depth;
  const GemmCase gemm = make_gemm_case(all_forms()[0], {config.tile_rows, config.tile_columns, k}, {1e35f, 0},
                                       all_placements()[0]);
  Data data = random_data(gemm, 3);
  for (std::size_t depth = 0; depth < k; ++depth) {
    for (std::size_t row = 0; row < config.tile_rows; ++row)
      data.a[gemm.a.index(row, depth)] = depth < k / 2 ? 1.0f : -1.0f;
    for (std::size_t column = 0; column < config.tile_columns; ++column)
      data.b[gemm.b.index(depth, column)] = 1e5f;
  }
  const std::vector<float> c = run_on_device(gemm, data, options);
  std::size_t wrong = 0;
  for (std::size_t row = 0; row < config.tile_rows; ++row) {
    for (std::size_t column = 0; column < config.tile_columns; ++column)
      wrong += c[gemm.c.index(row, column)] != 0.0f;
  }
  INFO(config.name << " " << describe_values(config.values));
  CHECK(wrong == 0);
}

// `panels` adds one block of k after another to C, as the BLAS of CPUs do.
TEST_CASE("alpha is applied after the sum of all products") {
  KernelLibrary library(kernel_folder_or_default({}));
  for (const std::string& kernel : runnable_kernels()) {
    if (kernel == "panels") continue;
    check_that_alpha_comes_last(options_of(kernel), config_of(kernel));
    if (kernel != "direct") continue;
    const Parameters slices = {{"BM", 64}, {"BN", 64}, {"TM", 8}, {"TN", 8}, {"DEPTH", 8}, {"SLICES", 2}};
    check_that_alpha_comes_last(options_of(kernel, slices),
                                configure(library.find(kernel), slices, shared_device_info()));
  }
}

TEST_CASE("the same call gives the same bits") {
  for (const std::string& kernel : runnable_kernels()) {
    const GemmCase gemm = make_gemm_case(all_forms()[1], {65, 43, 77}, {-1.5f, 1}, all_placements()[1]);
    const Data data = random_data(gemm, 11);
    INFO(kernel);
    const std::vector<float> first = run_on_device(gemm, data, options_of(kernel));
    for (int i = 0; i < 3; ++i) CHECK(same_bits(run_on_device(gemm, data, options_of(kernel)), first));
  }
}

TEST_CASE("blocks because of a scratch limit give the same result") {
  for (const std::string& kernel : runnable_kernels()) {
    const KernelConfig config = config_of(kernel);
    if (config.reads_in_place()) continue;
    const Shape shape{2 * config.tile_rows + 5, 3 * config.tile_columns + 7, 5 * config.tile_depth + 3};
    for (const Form& form : all_forms()) {
      const GemmCase gemm = make_gemm_case(form, shape, {-1.5f, -1.5f}, all_placements()[1]);
      const Data data = random_data(gemm, 5);
      Options options = options_of(kernel);
      options.scratch_limit =
          3 * sizeof(float) * config.tile_depth * (config.tile_rows + config.tile_columns);
      INFO(kernel << ": " << describe(gemm));
      check_on_device(gemm, data, options);
    }
  }
}

// The kernel uses blocks of WIDTH x WIDTH. Neither 45 columns nor the last 15 of k = 559 are a multiple of
// them.
TEST_CASE("panels of every width transpose B") {
  for (const std::int64_t width : {4, 8, 16}) {
    const Options options = options_of("panels", {{"WIDTH", width}, {"KC", 32}, {"NC", 128}});
    if (const std::string reason = reason_not_to_run(options); !reason.empty()) {
      WARN("NOT TESTED on this device: " << reason);
      continue;
    }
    for (const std::size_t k : {7U, 16U, 559U}) {
      const GemmCase gemm = make_gemm_case(all_forms()[1], {37, 45, k}, {3, -2}, all_placements()[1]);
      const Data data = integer_data(gemm, 7);
      INFO(describe(gemm));
      CHECK(error_ratio(gemm, data, run_on_device(gemm, data, options)) == 0);
    }
  }
}

// The time limit for the values of one kernel. Some compilers need half a minute for one program of a large
// tile.
constexpr std::chrono::seconds sweep_budget{20};

// Runs a kernel with one parameter set to `value`. Returns false if the device or a `require` does not allow
// the value.
bool run_with(const std::string& kernel, const std::string& parameter, std::int64_t value) {
  INFO(kernel << " " << parameter << "=" << value);
  // Only one form, because every form is another program of a kernel that reads operands in place.
  const GemmCase gemm = make_gemm_case(all_forms()[0], {67, 71, 37}, {-1.5f, 1}, all_placements()[1]);
  try {
    check_on_device(gemm, random_data(gemm, 13), options_of(kernel, {{parameter, value}}));
  } catch (const Error& error) {
    CHECK(
        (error.code() == ErrorCode::device_limit_exceeded || error.code() == ErrorCode::requirement_failed));
    return false;
  }
  return true;
}

// Each value of each parameter, with the others at their defaults.
TEST_CASE("every value of every parameter") {
  KernelLibrary library(kernel_folder_or_default({}));
  std::string not_allowed;
  std::string no_time;
  for (const std::string& kernel : library.names(Role::gemm)) {
    const auto end = std::chrono::steady_clock::now() + sweep_budget;
    for (const auto& parameter : library.find(kernel).file->manifest.parameters) {
      for (const std::int64_t value : parameter.values) {
        if (value == parameter.default_value) continue;
        const std::string title = fmt::format("\n  {} {}={}", kernel, parameter.name, value);
        if (std::chrono::steady_clock::now() > end) {
          no_time += title;
        } else if (!run_with(kernel, parameter.name, value)) {
          not_allowed += title;
        }
      }
    }
  }
  if (!not_allowed.empty())
    WARN("NOT TESTED, because the device or a `require` does not allow it:" << not_allowed);
  if (!no_time.empty())
    WARN("NOT TESTED, because the compiler is too slow (another run may continue):" << no_time);
}

}  // namespace
}  // namespace clgemm
