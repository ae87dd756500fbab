#include "plan/make_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "plan/blocks.hpp"
#include "plan/in_place.hpp"

namespace clgemm {
namespace {

// What a kernel that reads A and B where they lie is compiled with.
Parameters in_place_macros(const Problem& problem, const KernelConfig& kernel) {
  Parameters result = {{"TRANSPOSE_A", problem.a.transposed ? 1 : 0},
                       {"TRANSPOSE_B", problem.b.transposed ? 1 : 0}};
  if (kernel.align > 1) {
    result["ALIGNED_A"] = a_is_aligned(problem, kernel) ? 1 : 0;
    result["ALIGNED_B"] = b_is_aligned(problem, kernel) ? 1 : 0;
  }
  return result;
}

void check_role(const KernelConfig& helper, Role role, const KernelConfig& kernel) {
  if (helper.manifest().role == role) return;
  throw Error(ErrorCode::invalid_kernel_file,
              fmt::format("{}: '{}' ({}) has not the role that the kernel '{}' needs", kernel.file->path,
                          helper.name, helper.file->path, kernel.name));
}

// How many parts of k are wanted of this kernel: one, where nobody said it.
std::size_t wanted_parts(const KernelConfig& kernel) {
  return can_split_k(kernel.manifest()) ? std::max<std::size_t>(kernel.split_k, 1) : 1;
}

// Makes the stages of a plan one after the other.
class Planner {
 public:
  Planner(const Problem& problem, ConfigCache& configs) : problem_(problem), configs_(configs) {}

  std::vector<Stage> stages(const Config& first) {
    SharedConfig kernel = configs_.get(first.kernel, first.parameters, {});
    if (kernel->manifest().role != Role::multiply) {
      throw Error(ErrorCode::kernel_not_found,
                  fmt::format("'{}' ({}) does not multiply; it is one of clgemm's own helpers", first.kernel,
                              kernel->file->path));
    }
    std::vector<Stage> result = {stage(first.kernel, first.parameters)};
    std::vector<std::string> names = {kernel->name};
    while (!kernel->manifest().fallback.empty()) {
      const std::string& next = kernel->manifest().fallback;
      if (std::count(names.begin(), names.end(), next) != 0) {
        throw Error(ErrorCode::invalid_kernel_file,
                    fmt::format("{}: '{}' stands behind itself: {} -> {}", kernel->file->path, next,
                                fmt::join(names, " -> "), next));
      }
      names.push_back(next);
      const Parameters& parameters = kernel->fallback_values;
      const SharedConfig behind = configs_.get(next, parameters, {});
      // Either a kernel for that alone, or another one on planes, with its own packing and one behind it.
      if (behind->manifest().fallback.empty()) check_role(*behind, Role::fallback, *kernel);
      result.push_back(stage(next, parameters));
      // Whatever stands behind a kernel has as many parts.
      if (can_split_k(behind->manifest()))
        result.back().split.wanted_parts = result.front().split.wanted_parts;
      kernel = behind;
    }
    return result;
  }

 private:
  // `name`: as KernelLibrary::find() takes it.
  Stage stage(const std::string& name, const Parameters& parameters) {
    Stage result;
    SharedConfig kernel = configs_.get(name, parameters, {});
    if (kernel->reads_in_place()) kernel = configs_.get(name, parameters, in_place_macros(problem_, *kernel));
    result.programs[ProgramRole::multiply] = kernel;
    result.split.wanted_parts = problem_.listed ? 1 : wanted_parts(*kernel);
    if (!kernel->manifest().fallback.empty()) {
      result.programs[ProgramRole::pack_both] = pack_both_config(*kernel, configs_);
      return result;
    }
    const Shape tile_of_a{kernel->tile_rows, kernel->tile_depth};
    const Shape tile_of_b{kernel->tile_depth, kernel->tile_columns};
    if (!fits_in_place(problem_.a, *kernel, {problem_.m, problem_.k}, tile_of_a))
      result.programs[ProgramRole::pack_a] = pack_config(problem_.a, *kernel);
    if (!fits_in_place(problem_.b, *kernel, {problem_.k, problem_.n}, tile_of_b))
      result.programs[ProgramRole::pack_b] = pack_config(problem_.b, *kernel);
    return result;
  }

  SharedConfig pack_config(const Operand& operand, const KernelConfig& kernel) {
    const Parameters macros = {{"TRANSPOSE", operand.transposed ? 1 : 0}};
    // pack_padded has work-groups of 16 x 16 by default, which some small GPUs do not allow.
    const bool is_small =
        configs_.device().max_work_group_size < 256 && kernel.manifest().operands == padded_form;
    return configs_.get("pack_" + kernel.manifest().operands, is_small ? Parameters{{"TS", 8}} : Parameters{},
                        macros);
  }

  const Problem& problem_;
  ConfigCache& configs_;
};

// A kernel that adds up the parts; null where this device runs none and nobody asked for parts.
SharedConfig reduce_config(const KernelConfig& kernel, std::size_t parts, ConfigCache& configs) {
  constexpr std::int64_t items = 256;
  const std::int64_t slots = parts >= 64 ? 16 : parts >= 8 ? 4 : 1;
  try {
    return configs.get("reduce_parts", {{"SLOTS", slots}, {"FOURS", items / slots}}, {});
  } catch (const Error& error) {
    const bool is_of_device =
        error.code() == ErrorCode::device_limit_exceeded || error.code() == ErrorCode::requirement_failed;
    if (!is_of_device || kernel.split_k != 0) throw;
    return nullptr;
  }
}

}  // namespace

SharedConfig pack_both_config(const KernelConfig& kernel, ConfigCache& configs) {
  SharedConfig pack = configs.get("pack_both_" + kernel.manifest().operands, {}, {});
  check_role(*pack, Role::pack_both, kernel);
  return pack;
}

Plan make_plan(const Problem& problem, const Config& config, ConfigCache& configs,
               std::size_t scratch_limit) {
  Plan plan;
  plan.problem = seen_by(config, as_planned(problem));
  plan.config = config;
  plan.compute_units = configs.cores();
  plan.stages = Planner(plan.problem, configs).stages(config);
  fit_blocks(plan, scratch_limit);
  bool fits = true;
  for (Stage& stage : plan.stages) {
    if (stage.split.parts == 1 || stage.split.arrivals != 0) continue;
    SharedConfig& reduce = stage.programs[ProgramRole::reduce];
    reduce = reduce_config(stage.multiply(), stage.split.parts, configs);
    if (reduce) continue;
    stage.split.wanted_parts = 1;
    fits = false;
  }
  if (!fits) fit_blocks(plan, scratch_limit);
  return plan;
}

}  // namespace clgemm
