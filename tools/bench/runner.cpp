#include "runner.hpp"

#include "error.hpp"
#include "ladder.hpp"
#include "progress.hpp"
#include "size_run.hpp"

namespace clgemm::bench {
namespace {

HostData host_data_for(const BenchOptions& options, const Size& size, const Device& device) {
  check_fits(device, size);
  return make_host_data(compact_call(options.kind, size));
}

}  // namespace

Results run_bench(const BenchOptions& options, const cl::Device& cl_device) {
  return at_boundary([&] {
    Results results;
    results.device = describe(cl_device);
    results.checked = options.check;
    results.wanted_runs = options.runs;
    results.max_seconds = options.max_seconds;
    const std::vector<KernelChoice> choices = options.ladder
                                                  ? choose_steps(ladder_steps(), options.kernel_folder)
                                                  : choose_kernels(options, results.device);
    Peers peers = make_peers(options.peers, cl_device);
    results.missing_peers = peers.missing;

    // One context and queue for all sizes: peers keep what they compiled by context.
    const cl::CommandQueue queue(cl::Context(cl_device), cl_device, CL_QUEUE_PROFILING_ENABLE);
    Progress progress;
    for (const Size& size : options.sizes) {
      progress.show(to_string(size) + ": data and reference");
      const HostData data = host_data_for(options, size, results.device);
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
      results.sizes.push_back(run.run(choices, peers.present));
    }
    return results;
  });
}

}  // namespace clgemm::bench
