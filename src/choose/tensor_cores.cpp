#include "choose/tensor_cores.hpp"

#include <cstdint>

namespace clgemm {
namespace {

constexpr std::size_t ampere = 80;
constexpr std::size_t hopper = 90;
const char* const reason = "fp32 on tensor cores, as exact as on fp32 units";

struct HopperConfig {
  std::int64_t tile_m, tile_n, slices, step, stages;
};

// Three products of fp16 planes; those of bf16 planes stand behind them, for what fp16 cannot hold. The
// smaller tiles fill the device at smaller sizes.
constexpr HopperConfig fp16_configs[] = {
    {128, 128, 1, 2, 6}, {64, 128, 2, 2, 8}, {128, 64, 1, 2, 8}, {64, 64, 2, 2, 8}};

// Tensor cores truncate where they add, which shows until many of their sums are added in fp32: with six
// products and k = 32 the error ratio is 4.8, where plain fp32 has 2.9; from about 512 on it is smaller than
// that of plain fp32 on any data. Three products have 2.0 there, but leave what they cannot hold to the six.
constexpr std::size_t least_depth = 512;

Candidate candidate_of(const char* kernel, const HopperConfig& config) {
  return {{kernel,
           {{"TILE_M", config.tile_m},
            {"TILE_N", config.tile_n},
            {"SLICES", config.slices},
            {"STEP", config.step},
            {"STAGES", config.stages}}},
          {Source::rule, reason},
          {}};
}

}  // namespace

std::vector<Candidate> tensor_core_candidates(const Problem& problem, const Device& device) {
  constexpr std::size_t fewest_lines = 64;  // a block of planes is padded to as many
  if (device.nvidia_sm < ampere || problem.k < least_depth) return {};
  if (problem.m < fewest_lines || problem.n < fewest_lines) return {};
  std::vector<Candidate> result;
  if (device.nvidia_sm == hopper) {
    for (const HopperConfig& config : fp16_configs) result.push_back(candidate_of("fp16x3_wgmma", config));
  }
  for (const char* kernel : {"fp16x3_mma", "bf16x6_mma"})
    result.push_back({{kernel, {}}, {Source::rule, reason}, {}});
  return result;
}

}  // namespace clgemm
