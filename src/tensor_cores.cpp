#include "tensor_cores.hpp"

#include <algorithm>
#include <cmath>

namespace clgemm {
namespace {

constexpr std::size_t ampere = 80;
constexpr std::size_t hopper = 90;

double as_double(std::size_t value) {
  return static_cast<double>(value);
}

}  // namespace

std::vector<Candidate> tensor_core_candidates(const Problem& problem, const Device& device) {
  if (device.nvidia_sm < ampere) return {};
  const double multiply_adds = as_double(problem.m) * as_double(problem.n) * as_double(problem.k);
  if (multiply_adds < 512.0 * 512.0 * 512.0) return {};
  if (device.nvidia_sm == hopper) {
    return {{"bf16x6_wgmma", {}, "by rule: fp32 by tensor cores"},
            {"bf16x6_mma", {}, "by rule: fp32 by tensor cores"}};
  }
  return {{"bf16x6_mma", {}, "by rule: fp32 by tensor cores"}};
}

}  // namespace clgemm
