#include "running/ladder.hpp"

#include <fmt/format.h>

#include "running/host_loops.hpp"

namespace clgemm::bench {
namespace {

constexpr std::string_view steps[] = {
    "row_groups", "naive",  "coalesced",      "tiled",          searched_step,       "wpt",      "block_1d",
    "float4",     "float8", "block_2d_plain", "block_2d_fours", "block_2d_buffered", "block_2d", "panels"};

// The winners of `clgemm-tune --space tvm36 --size 1024`, on an AVX-512 CPU with PoCL and on an H200.
const Parameters best_on_cpus = {{"TILE_Y", 32}, {"TILE_X", 32}, {"TILE_K", 16}, {"WIDTH", 4}};
const Parameters best_on_gpus = {{"TILE_Y", 16}, {"TILE_X", 32}, {"TILE_K", 16}, {"WIDTH", 4}};

// A loop that would take longer is left out.
constexpr double longest_loop_ms = 5000.0;

struct Loop {
  const char* title;
  HostLoop* multiply_rows;
};
constexpr Loop loops[] = {{"host, plain loop", plain_loop}, {"host, cache-friendly", cache_friendly_loop}};

}  // namespace

std::span<const std::string_view> ladder_steps() {
  return steps;
}

Parameters searched_parameters(const Tuning& tuning, const Size& size, const Device& device) {
  const TunedEntry* tuned = tuning.of_space("tvm36", {size.m, size.n, size.k}, device);
  if (tuned != nullptr && tuned->config.kernel == searched_step) return tuned->config.parameters;
  return device.kind == DeviceKind::cpu ? best_on_cpus : best_on_gpus;
}

std::vector<HostLoopResult> run_host_loops(const HostData& data, const Reference* reference) {
  std::vector<HostLoopResult> results;
  for (const Loop& loop : loops) {
    HostLoopResult result{loop.title, {}};
    Figures& figures = result.figures;
    const double predicted = predict_ms(data, loop.multiply_rows);
    if (predicted > longest_loop_ms) {
      figures.reason = fmt::format("left out: about {:.0f} s on one thread", predicted * 1e-3);
    } else {
      std::vector<float> c = data.c;
      figures.median_ms = time_rows(data, loop.multiply_rows, data.call.m, c);
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
