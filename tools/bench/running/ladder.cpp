#include "running/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "choose/tuning_files.hpp"
#include "common/clock.hpp"
#include "kernel/kernel_file.hpp"

namespace clgemm::bench {
namespace {

constexpr const char* searched_step = "tiled_vector";
constexpr const char* steps[] = {
    "row_groups", "naive",  "coalesced",      "tiled",          searched_step,       "wpt",      "block_1d",
    "float4",     "float8", "block_2d_plain", "block_2d_fours", "block_2d_buffered", "block_2d", "panels"};

// The winners of `clgemm-tune --space tvm36 --size 1024`, on an AVX-512 CPU with PoCL and on an H200.
const Parameters best_on_cpus = {{"TILE_Y", 32}, {"TILE_X", 32}, {"TILE_K", 16}, {"WIDTH", 4}};
const Parameters best_on_gpus = {{"TILE_Y", 16}, {"TILE_X", 32}, {"TILE_K", 16}, {"WIDTH", 4}};

// A loop that would take longer is left out.
constexpr double longest_loop_ms = 5000.0;

// Computes the first `rows` rows of C, which holds the initial C.
using HostLoop = void(const HostData& data, std::size_t rows, std::vector<float>& c);

// Long enough for the clock, and too short to be noticed.
constexpr double sample_ms = 20.0;

// If beta == 0, C must not be read, because it may hold NaN.
float scaled_old(const SgemmCall& call, float old) {
  return call.beta == 0.0f ? 0.0f : call.beta * old;
}

// i, j, k: down a column of B.
void plain_loop(const HostData& data, std::size_t rows, std::vector<float>& c) {
  const SgemmCall& call = data.call;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < call.n; ++j) {
      float sum = 0.0f;
      for (std::size_t p = 0; p < call.k; ++p) sum += data.a[i * call.k + p] * data.b[p * call.n + j];
      float& element = c[i * call.n + j];
      element = call.alpha * sum + scaled_old(call, element);
    }
  }
}

// i, k, j: along the rows of B and C.
void cache_friendly_loop(const HostData& data, std::size_t rows, std::vector<float>& c) {
  const SgemmCall& call = data.call;
  for (std::size_t i = 0; i < rows; ++i) {
    float* row = &c[i * call.n];
    for (std::size_t j = 0; j < call.n; ++j) row[j] = scaled_old(call, row[j]);
    for (std::size_t p = 0; p < call.k; ++p) {
      const float factor = call.alpha * data.a[i * call.k + p];
      const float* b_row = &data.b[p * call.n];
      for (std::size_t j = 0; j < call.n; ++j) row[j] += factor * b_row[j];
    }
  }
}

// Predicts the milliseconds for all rows from as few of them as can be timed well.
double predict_ms(const HostData& data, HostLoop* loop) {
  std::vector<float> c = data.c;
  for (std::size_t rows = 1;; rows = std::min(2 * rows, data.call.m)) {
    const double ms = ms_of([&] { loop(data, rows, c); });
    if (ms >= sample_ms || rows == data.call.m)
      return ms * static_cast<double>(data.call.m) / static_cast<double>(rows);
  }
}

struct Loop {
  const char* title;
  HostLoop* multiply_rows;
};
constexpr Loop loops[] = {{"host, plain loop", plain_loop}, {"host, cache-friendly", cache_friendly_loop}};

}  // namespace

std::vector<KernelChoice> ladder_steps(const BenchOptions& options, const Device& device) {
  std::vector<KernelChoice> choices;
  for (const char* step : steps) {
    KernelChoice& choice = choices.emplace_back(KernelChoice{step, {}, false});
    choice.options.kernel = step;
    choice.options.kernel_folder = kernel_folder_or_default(options.kernel_folder);
    if (choice.name != searched_step) continue;
    const Size& size = options.sizes.front();
    const Tuning tuning = tuning_from_environment();
    const TunedEntry* tuned = tuning.of_space("tvm36", {size.m, size.n, size.k}, device);
    const bool is_of_step = tuned != nullptr && tuned->config.kernel == searched_step;
    choice.options.parameters = is_of_step                       ? tuned->config.parameters
                                : device.kind == DeviceKind::cpu ? best_on_cpus
                                                                 : best_on_gpus;
  }
  return choices;
}

std::vector<PeerResult> run_host_loops(const HostData& data, const Reference* reference) {
  std::vector<PeerResult> results;
  for (const Loop& loop : loops) {
    PeerResult result{loop.title, "one thread", "", {}};
    Figures& figures = result.figures;
    const double predicted = predict_ms(data, loop.multiply_rows);
    if (predicted > longest_loop_ms) {
      figures.reason =
          fmt::format("left out, because it takes about {:.0f} s on one thread", predicted * 1e-3);
    } else {
      std::vector<float> c = data.c;
      figures.median_ms = ms_of([&] { loop.multiply_rows(data, data.call.m, c); });
      figures.gflops = operations(data.size()) / (*figures.median_ms * 1e6);
      if (reference != nullptr) {
        const CheckResult check = reference->check(c);
        figures.error_ratio = check.error_ratio;
        figures.passed = check.passed;
      }
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace clgemm::bench
