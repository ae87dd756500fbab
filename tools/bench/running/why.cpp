#include "running/why.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command_line/cases.hpp"
#include "common/statistics.hpp"
#include "measuring/device_data.hpp"
#include "plan/launches.hpp"
#include "running/ceilings.hpp"
#include "running/kernel_choice.hpp"
#include "running/measure.hpp"

namespace clgemm::bench {
namespace {

// Rules of thumb, not measurements. A value below them is worth a look first.
constexpr double least_inside = 0.8;       // a part of the tiles' work
constexpr double most_of_bandwidth = 0.5;  // a kernel that needs more should have larger tiles
constexpr double near_the_peak = 0.8;      // a part of the fp32 units' peak
constexpr double fewest_groups_per_unit = 2.0;

KernelFacts facts_of(const BuiltPlan& built, const cl::Device& device) {
  const Plan& plan = built.plan;
  const Stage& stage = plan.first();
  const Block block = first_block(plan);
  KernelFacts facts;
  facts.group_rows = stage.group_rows;
  facts.group_columns = stage.group_columns;
  facts.compute_units = plan.compute_units;
  const std::size_t rows = ceil_div(block.m, facts.group_rows);
  const std::size_t columns = ceil_div(block.n, facts.group_columns);
  facts.groups = rows * columns * stage.split.slices * block.batch_count;
  facts.work_inside = static_cast<double>(block.m) * static_cast<double>(block.n) /
                      static_cast<double>(rows * facts.group_rows * columns * facts.group_columns);
  const std::shared_ptr<BuiltKernel>& gemm = built.stages.front()[ProgramRole::gemm];
  facts.spilled_bytes = gemm->spilled_bytes;
  BuiltKernel::Lease lease(gemm);
  facts.private_bytes = (*lease).getWorkGroupInfo<CL_KERNEL_PRIVATE_MEM_SIZE>(device);
  facts.local_bytes = (*lease).getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE>(device);
  return facts;
}

std::string percent(double part) {
  return fmt::format("{:.{}f} %", 100.0 * part, part < 0.1 ? 1 : 0);
}

void write(std::ostream& out, const Case& one, const ChosenPlan& plan, const KernelFacts& facts,
           const Ceilings& ceilings, const Figures& figures) {
  const Candidate& chosen = plan.choice.chosen;
  const std::string described = describe(plan.built.plan);  // its first line is the kernel's
  out << fmt::format("size: {}\n{}\n", describe_shape(one), described.substr(0, described.find('\n')));
  out << fmt::format("measured: {} ms, {} GFLOPS, median of {} runs", figure_or_dash(figures.median_ms),
                     format_figure(facts.gflops), figures.runs);
  out << (chosen.seconds ? fmt::format("; predicted: {} ms\n", format_figure(*chosen.seconds * 1e3)) : "\n");
  out << fmt::format("fp32 units: {} of the {} GFLOPS that were measured on this device\n",
                     percent(facts.gflops / ceilings.fp32_gflops), format_figure(ceilings.fp32_gflops));
  out << fmt::format(
      "work-groups: {}, of {} x {} elements of C; {} for each of {} compute units; {} of their work is "
      "inside C\n",
      facts.groups, facts.group_rows, facts.group_columns, format_figure(facts.groups_per_unit()),
      facts.compute_units, percent(facts.work_inside));
  out << fmt::format(
      "global memory: {} bytes for each multiply-add, if a work-group reads A and B once. This is {} GB/s at "
      "this rate; memory can read {} GB/s{}\n",
      format_figure(facts.bytes_per_multiply_add()), format_figure(facts.needed_gbs()),
      format_figure(ceilings.read_gbs),
      ceilings.cache_gbs > 0.0 ? fmt::format(", the last cache {}", format_figure(ceilings.cache_gbs)) : "");
  out << fmt::format(
      "local memory: {} bytes for each work-group\n"
      "private memory: {} bytes for each work-item (from the driver); spilled: {}\n",
      facts.local_bytes, facts.private_bytes, facts.spilled_bytes);
  out << fmt::format("try first: {}\n\n", first_thing_to_try(facts, ceilings));
}

}  // namespace

std::string first_thing_to_try(const KernelFacts& facts, const Ceilings& ceilings) {
  if (facts.gflops > ceilings.fp32_gflops)
    return "measure again: the rate is above the peak of the fp32 units, so the kernel uses other units, or "
           "other programs disturbed one of the measurements";
  if (facts.gflops >= near_the_peak * ceilings.fp32_gflops)
    return "nothing: the kernel is near the peak of the fp32 units";
  if (facts.spilled_bytes > 0)
    return fmt::format("fewer results for each work-item: {} bytes do not fit in the registers",
                       facts.spilled_bytes);
  if (facts.groups_per_unit() < fewest_groups_per_unit)
    return fmt::format(
        "more work-groups, with smaller tiles or --param SPLIT_K: {} are too few for {} compute units",
        facts.groups, facts.compute_units);
  if (facts.work_inside < least_inside)
    return fmt::format("smaller tiles: {} of the work is outside C", percent(1.0 - facts.work_inside));
  const double bandwidth = std::max(ceilings.read_gbs, ceilings.cache_gbs);
  if (facts.needed_gbs() > most_of_bandwidth * bandwidth)
    return fmt::format(
        "larger tiles of C for each work-group: reading A and B takes {} of the {} GB/s of the memory",
        percent(facts.needed_gbs() / bandwidth), format_figure(bandwidth));
  return "the inner loop: keep more results in the registers of each work-item, in both directions, and load "
         "vectors (docs/ladder.md)";
}

bool say_why(std::ostream& out, const BenchOptions& options, const cl::Device& device) {
  const cl::Context context(device);  // not every implementation lets a queue keep it
  const cl::CommandQueue queue(context, device, CL_QUEUE_PROFILING_ENABLE);
  const Device info = describe(device);
  const Ceilings ceilings = measure_ceilings(queue);
  for (const Case& one : cases_of(options, info)) {
    const SgemmCall call = call_of(one.kind, one.size);
    const HostData host = make_host_data(call);
    const DeviceData data(queue, host);
    for (const KernelChoice& choice : with_own_parameters(choose_kernels(options, info), call, info)) {
      Entrant entrant(make_kernel_contestant(data, choice.options), nullptr);
      measure({&entrant}, {options.runs, options.warmup, options.max_seconds}, [](const std::string&) {});
      const Figures figures = entrant.figures();
      const std::shared_ptr<const ChosenPlan> plan = entrant.plan();
      KernelFacts facts = facts_of(plan->built, device);
      facts.gflops = operations(one) / *figures.median_ms * 1e-6;
      write(out, one, *plan, facts, ceilings, figures);
    }
  }
  return true;
}

}  // namespace clgemm::bench
