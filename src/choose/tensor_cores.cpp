#include "choose/tensor_cores.hpp"

#include <algorithm>
#include <cstdint>

#include "choose/shape_class.hpp"

namespace clgemm {
namespace {

constexpr std::size_t ampere = 80;
constexpr std::size_t hopper = 90;
const char* const reason = "fp32 on tensor cores, as exact as on fp32 units";

struct HopperConfig {
  std::int64_t tile_m, tile_n, slices, step, stages;
};

// Three products of fp16 planes; those of TF32 parts stand behind them, for what fp16 cannot hold. The
// smaller tiles fill the device at smaller sizes.
constexpr HopperConfig fp16_configs[] = {
    {128, 128, 1, 2, 6}, {64, 128, 2, 2, 8}, {128, 64, 1, 2, 8}, {64, 64, 2, 2, 8}};

// Tensor cores truncate where they add, which shows until many of their sums are added in fp32: from here on
// no kernel for Hopper has a larger error ratio than plain fp32 on any data of `clgemm-bench --accuracy` (2.2
// and 3.0 at k = 32, plain fp32 3.9). Those of other GPUs were measured from 512 on.
constexpr std::size_t least_depth = 32;
constexpr std::size_t least_depth_of_others = 512;

// Three products of TF32 parts, where A and B lie; `tile_x` goes by 64, and has rows or columns of C.
struct InPlaceConfig {
  std::int64_t tile_x, tile_y, slices;
};
constexpr InPlaceConfig in_place_configs[] = {{128, 128, 1}, {128, 64, 1}, {64, 64, 1}, {64, 64, 2},
                                              {128, 32, 1},  {64, 32, 1},  {64, 32, 2}};

Candidate candidate_of(const InPlaceConfig& config, std::int64_t swap) {
  return {{"tf32x3_wgmma",
           {{"TILE_X", config.tile_x}, {"TILE_Y", config.tile_y}, {"SLICES", config.slices}, {"SWAP", swap}}},
          {Source::rule, reason},
          {}};
}

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
  if (std::min(problem.m, problem.n) <= most_thin_lines) return {};  // memory is the limit
  const bool can_be_packed = problem.m >= fewest_lines && problem.n >= fewest_lines;
  std::vector<Candidate> result;
  // Of small matrices batches have configs of their own, which were measured to keep up with cuBLAS.
  constexpr std::size_t small_side = 256;
  const bool is_small_batch =
      problem.batch_count > 1 && std::max({problem.m, problem.n, problem.k}) <= small_side;
  if (device.nvidia_sm == hopper) {
    if (can_be_packed) {
      for (const HopperConfig& config : fp16_configs) result.push_back(candidate_of("fp16x3_wgmma", config));
    }
    for (const InPlaceConfig& config : in_place_configs) {
      if (is_small_batch) break;
      for (const std::int64_t swap : {0, 1}) result.push_back(candidate_of(config, swap));
    }
  }
  if (!can_be_packed || problem.k < least_depth_of_others) return result;
  for (const char* kernel : {"fp16x3_mma", "bf16x6_mma"})
    result.push_back({{kernel, {}}, {Source::rule, reason}, {}});
  return result;
}

}  // namespace clgemm
