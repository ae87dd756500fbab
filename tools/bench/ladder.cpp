#include "ladder.hpp"

#include <fmt/format.h>

#include "host_loops.hpp"

namespace clgemm::bench {
namespace {

constexpr std::string_view steps[] = {"row_groups", "naive",  "coalesced", "tiled",    "wpt",
                                      "block_1d",   "float4", "float8",    "block_2d", "panels"};

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

std::vector<HostLoopResult> run_host_loops(const HostData& data, const Reference* reference) {
  std::vector<HostLoopResult> results;
  for (const Loop& loop : loops) {
    HostLoopResult result{loop.title, {}, 0.0, {}};
    const double predicted = predict_ms(data, loop.multiply_rows);
    if (predicted > longest_loop_ms) {
      result.reason = fmt::format("left out: about {:.0f} s on one thread", predicted * 1e-3);
    } else {
      std::vector<float> c = data.c;
      result.ms = time_rows(data, loop.multiply_rows, data.call.m, c);
      if (reference != nullptr) result.check = reference->check(c);
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace clgemm::bench
