#include "plan/k_split.hpp"

#include <algorithm>
#include <numeric>

#include "base/sizes.hpp"

namespace clgemm {
std::size_t depth_of_slices(std::size_t k, std::size_t slices, std::size_t unit) {
  return round_up(ceil_div(k, slices), unit);
}

std::size_t depth_unit(const KernelConfig& kernel) {
  constexpr std::size_t vector = 4;
  return kernel.reads_in_place() ? std::lcm(kernel.align, vector) : std::lcm(kernel.tile_depth, kernel.align);
}

std::size_t walked_k(std::size_t k, const KernelConfig& kernel) {
  return kernel.reads_a_in_place() || kernel.reads_b_in_place() ? k : round_up(k, kernel.tile_depth);
}

KSplit split_evenly(std::size_t k, std::size_t slices, std::size_t unit) {
  const std::size_t depth = depth_of_slices(k, slices, unit);
  return {ceil_div(k, depth), std::min(depth, k)};
}

std::size_t slice_ld(std::size_t n) {
  return round_up(n, 4);
}

std::size_t slice_elements(std::size_t m, std::size_t n) {
  return round_up(m * slice_ld(n), cache_line);
}

}  // namespace clgemm
