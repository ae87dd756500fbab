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

// Returns the macros for a kernel that reads A, B or both in place.
Parameters in_place_macros(const Problem& problem, const KernelConfig& kernel) {
  Parameters result;
  if (kernel.reads_a_in_place()) {
    result["TRANSPOSE_A"] = problem.a.transposed ? 1 : 0;
    if (kernel.align > 1) result["ALIGNED_A"] = a_is_aligned(problem, kernel) ? 1 : 0;
  }
  if (kernel.reads_b_in_place()) {
    result["TRANSPOSE_B"] = problem.b.transposed ? 1 : 0;
    if (kernel.align > 1) result["ALIGNED_B"] = b_is_aligned(problem, kernel) ? 1 : 0;
  }
  return result;
}

void check_role(const KernelConfig& helper, Role role, const KernelConfig& kernel) {
  if (helper.manifest().role == role) return;
  throw Error(ErrorCode::invalid_kernel_file,
              fmt::format("{}: '{}' ({}) does not have the role that the kernel '{}' needs",
                          kernel.file->path, helper.name, helper.file->path, kernel.name));
}

// Makes the stages of a plan one after the other.
class Planner {
 public:
  Planner(const Problem& problem, ConfigCache& configs) : problem_(problem), configs_(configs) {}

  std::vector<Stage> stages(const Config& first) {
    SharedConfig kernel = config(first.kernel, first.parameters);
    if (kernel->manifest().role != Role::gemm) {
      throw Error(ErrorCode::kernel_not_found,
                  fmt::format("'{}' ({}) is not a GEMM kernel but one of clgemm's own helpers", first.kernel,
                              kernel->file->path));
    }
    std::vector<Stage> result = {stage(kernel)};
    std::vector<std::string> names = {kernel->name};
    while (!kernel->manifest().fallback.empty()) {
      const std::string& next = kernel->manifest().fallback;
      if (std::count(names.begin(), names.end(), next) != 0) {
        throw Error(ErrorCode::invalid_kernel_file,
                    fmt::format("{}: '{}' is its own fallback: {} -> {}", kernel->file->path, next,
                                fmt::join(names, " -> "), next));
      }
      names.push_back(next);
      const SharedConfig behind = config(next, kernel->fallback_values);
      // The fallback is either a kernel for that role alone, or another kernel on planes with its own packing
      // and fallback.
      if (behind->manifest().fallback.empty()) check_role(*behind, Role::fallback, *kernel);
      result.push_back(stage(behind));
      kernel = behind;
    }
    return result;
  }

 private:
  // `name` is in the form that KernelLibrary::find() takes.
  SharedConfig config(const std::string& name, const Parameters& parameters) {
    SharedConfig kernel = configs_.get(name, parameters);
    if (!kernel->manifest().depends_on_operands()) return kernel;
    return configs_.get(name, parameters, {problem_.a.transposed, problem_.b.transposed});
  }

  Stage stage(const SharedConfig& kernel) {
    Stage result;
    result.programs[ProgramRole::gemm] = kernel;
    if (!kernel->manifest().fallback.empty()) {
      SharedConfig& pack = result.programs[ProgramRole::pack_both];
      pack = configs_.get("pack_both_" + kernel->manifest().operands, kernel->packing_values);
      check_role(*pack, Role::pack_both, *kernel);
      return result;
    }
    const Shape tile_of_a{kernel->tile_rows, kernel->tile_depth};
    const Shape tile_of_b{kernel->tile_depth, kernel->tile_columns};
    if (!fits_in_place(problem_.a, *kernel, {problem_.m, problem_.k}, tile_of_a))
      result.programs[ProgramRole::pack_a] = pack_config(*kernel);
    if (!fits_in_place(problem_.b, *kernel, {problem_.k, problem_.n}, tile_of_b))
      result.programs[ProgramRole::pack_b] = pack_config(*kernel);
    return result;
  }

  SharedConfig pack_config(const KernelConfig& kernel) {
    // pack_padded has work-groups of 16 x 16 by default. Some small GPUs do not allow so many work-items.
    const bool is_small =
        configs_.device().max_work_group_size < 256 && kernel.manifest().operands == padded_form;
    return configs_.get("pack_" + kernel.manifest().operands,
                        is_small ? Parameters{{"TS", 8}} : kernel.packing_values);
  }

  const Problem& problem_;
  ConfigCache& configs_;
};

// Gives the stage a kernel that adds up its slices. Returns false if this device cannot run one and the
// caller did not ask for split-K.
bool add_reduce(Stage& stage, ConfigCache& configs) {
  constexpr std::int64_t items = 256;
  const std::int64_t slots = stage.split.slices >= 64 ? 16 : stage.split.slices >= 8 ? 4 : 1;
  SharedConfig& reduce = stage.programs[ProgramRole::reduce];
  if (reduce && reduce->values.at("SLOTS") == slots) return true;
  try {
    reduce = configs.get("reduce_parts", {{"SLOTS", slots}, {"FOURS", items / slots}});
    return true;
  } catch (const Error& error) {
    const bool is_of_device =
        error.code() == ErrorCode::device_limit_exceeded || error.code() == ErrorCode::requirement_failed;
    if (!is_of_device || stage.gemm().split_k != 0) throw;
    return false;
  }
}

}  // namespace

void split_k(Plan& plan, std::size_t slices, ConfigCache& configs, std::size_t scratch_limit) {
  for (Stage& stage : plan.stages)
    stage.split.wanted_slices = can_split_k(stage.gemm().manifest()) && !plan.problem.listed ? slices : 1;
  fit_blocks(plan, scratch_limit);
  for (Stage& stage : plan.stages) {
    if (stage.split.slices == 1 || stage.split.arrivals != 0) {
      stage.programs[ProgramRole::reduce] = nullptr;
    } else if (!add_reduce(stage, configs)) {
      return split_k(plan, 1, configs, scratch_limit);
    }
  }
}

Plan outline_plan(const Problem& problem, const Config& config, ConfigCache& configs,
                  std::size_t scratch_limit) {
  Plan plan;
  plan.problem = seen_by(config, as_planned(problem));
  plan.config = config;
  plan.compute_units = configs.cores();
  plan.stages = Planner(plan.problem, configs).stages(config);
  split_k(plan, std::max<std::size_t>(plan.first().gemm().split_k, 1), configs, scratch_limit);
  return plan;
}

Plan make_plan(const Problem& problem, const Config& config, ConfigCache& configs,
               std::size_t scratch_limit) {
  Plan plan = outline_plan(problem, config, configs, scratch_limit);
  const auto define = [](SharedConfig& program, const Parameters& macros) {
    program = std::make_shared<KernelConfig>(with_macros(*program, macros));
  };
  for (Stage& stage : plan.stages) {
    SharedConfig& gemm = stage.programs[ProgramRole::gemm];
    if (const Parameters macros = in_place_macros(plan.problem, *gemm); !macros.empty()) define(gemm, macros);
    if (SharedConfig& pack = stage.programs[ProgramRole::pack_a])
      define(pack, {{"TRANSPOSE", plan.problem.a.transposed ? 1 : 0}});
    if (SharedConfig& pack = stage.programs[ProgramRole::pack_b])
      define(pack, {{"TRANSPOSE", plan.problem.b.transposed ? 1 : 0}});
  }
  return plan;
}

}  // namespace clgemm
