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

// The smaller tiles fill the device at smaller sizes. fp32 units add after 32 of k; after 64 the error is
// twice as large (a relative one of 4.0e-7, not 2.1e-7, at k = 1024; plain fp32 has 5.7e-7).
constexpr HopperConfig hopper_configs[] = {
    {128, 128, 1, 2, 4}, {64, 128, 2, 2, 6}, {128, 64, 1, 2, 5}, {64, 64, 2, 2, 4}};

// Tensor cores truncate where they add, which shows until many of their sums are added in fp32: with k = 32
// the error ratio is 4.8, where plain fp32 has 2.9; from about 512 on it is smaller than that of plain fp32
// on any data.
constexpr std::size_t least_depth = 512;

Candidate candidate_of(const HopperConfig& config) {
  return {{"bf16x6_wgmma",
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
    for (const HopperConfig& config : hopper_configs) result.push_back(candidate_of(config));
  }
  result.push_back({{"bf16x6_mma", {}}, {Source::rule, reason}, {}});
  return result;
}

}  // namespace clgemm
