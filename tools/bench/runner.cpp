#include "runner.hpp"

#include "affordable.hpp"
#include "error.hpp"
#include "ladder.hpp"
#include "progress.hpp"
#include "size_run.hpp"
#include "suites.hpp"

namespace clgemm::bench {
namespace {

HostData host_data_for(const Case& one, const Device& device) {
  check_fits(device, one.size);
  return make_host_data(compact_call(one.kind, one.size));
}

// A kernel that only the suite names need not run everywhere.
std::vector<KernelChoice> choices_for(const BenchOptions& options, const Device& device) {
  if (options.ladder) return choose_steps(ladder_steps(), options.kernel_folder);
  std::vector<KernelChoice> choices = choose_kernels(options, device);
  for (KernelChoice& choice : choices) {
    if (options.suite_kernels) choice.must_run = choice.name == "auto";
  }
  return choices;
}

}  // namespace

Results run_bench(const BenchOptions& options, const cl::Device& cl_device) {
  return at_boundary([&] {
    Results results;
    results.device = describe(cl_device);
    results.checked = options.check;
    results.wanted_runs = options.runs;
    results.max_seconds = options.max_seconds;
    const std::vector<KernelChoice> choices = choices_for(options, results.device);
    Peers peers = options.with_peers ? all_peers() : Peers{};
    results.missing_peers = peers.missing;

    // One context and queue for all sizes: peers keep what they compiled by context.
    const cl::CommandQueue queue(cl::Context(cl_device), cl_device, CL_QUEUE_PROFILING_ENABLE);
    Progress progress;
    for (const Case& one : cases_of(options, results.device)) {
      const Size& size = one.size;
      progress.show(to_string(size) + ": data and reference");
      const HostData data = host_data_for(one, results.device);
      std::optional<Reference> reference;
      if (options.check) reference.emplace(data);
      const Reference* checked_by = reference ? &*reference : nullptr;
      if (options.ladder) {
        progress.show(to_string(size) + ": loops on the host");
        results.host_loops = run_host_loops(data, checked_by);
      }
      const MeasureSettings settings{options.runs, options.warmup, options.max_seconds};
      SizeRun run(queue, results.device, data, checked_by, settings,
                  [&](const std::string& text) { progress.show(to_string(size) + ": " + text); });
      Affordable kernels{choices, {}};
      if (options.suite_kernels) kernels = affordable(choices, results, size, options.max_seconds);
      results.sizes.push_back(run.run(kernels.choices, peers.present));
      SizeResult& done = results.sizes.back();
      done.label = one.label;
      std::move(kernels.left_out.begin(), kernels.left_out.end(), std::back_inserter(done.kernels));
    }
    return results;
  });
}

}  // namespace clgemm::bench
