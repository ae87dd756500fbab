#include "running/wrong_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace clgemm::bench {
namespace {

// Returns the tiling of the caller's C. The kernel may see the transpose of it.
Tiling tiling_of(const Plan& plan, const SgemmCall& call) {
  const Stage& stage = plan.first();
  const KernelConfig& kernel = stage.gemm();
  const Manifest& manifest = kernel.manifest();
  Tiling result{stage.group_rows, stage.group_columns};
  const bool is_one_block = plan.block_m == plan.problem.m && plan.block_n == plan.problem.n;
  const bool is_numbered = is_one_block && !manifest.takes_shares() &&
                           std::count(manifest.grid.begin(), manifest.grid.end(), GridAxis::tiles) == 0;
  if (is_numbered) {
    result.grid = manifest.grid;
    result.local = kernel.local;
  }
  if ((call.layout == Layout::column_major) == plan.config.as_transpose) return result;
  std::swap(result.rows, result.columns);
  for (GridAxis& axis : result.grid) axis = axis == GridAxis::rows ? GridAxis::columns : GridAxis::rows;
  return result;
}

std::size_t differences(const std::vector<float>& one, const std::vector<float>& other) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (std::memcmp(&one[i], &other[i], sizeof one[i]) != 0) ++count;
  }
  return count;
}

}  // namespace

std::string describe_wrong_result(Contestant& contestant, const std::vector<float>& c,
                                  const Reference& reference, const SgemmCall& call) {
  const double bound = contestant.bound_of_random(reference.k());
  const Tiling tiling = tiling_of(contestant.plan()->built.plan, call);
  const std::string wrong = reference.describe_wrong(c, bound, tiling);
  contestant.run();
  const std::size_t changed = differences(c, contestant.result());
  if (changed == 0)
    return wrong +
           (wrong.find("pattern: none") == std::string::npos ? "" : "; another run gave the same result");
  return fmt::format(
      "{}; another run gave other values in {} elements, so there may be a race, or memory is read before it "
      "is written; clgemm-bench --races looks for both",
      wrong, changed);
}

}  // namespace clgemm::bench
