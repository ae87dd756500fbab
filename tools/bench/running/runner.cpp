#include "running/runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/error.hpp"
#include "choose/tuning_files.hpp"
#include "command_line/cases.hpp"
#include "common/interrupt.hpp"
#include "common/progress.hpp"
#include "running/affordable.hpp"
#include "running/ceilings.hpp"
#include "running/facts.hpp"
#include "running/first_call.hpp"
#include "running/host_link.hpp"
#include "running/ladder.hpp"
#include "running/size_run.hpp"

namespace clgemm::bench {
namespace {

// Those of --device; empty where it was not given.
std::vector<cl::Device> devices_of(const BenchOptions& options) {
  return options.devices.empty() ? std::vector<cl::Device>{}
                                 : find_devices(fmt::format("{}", fmt::join(options.devices, ",")));
}

// "2 x NVIDIA H200"
std::string joint_name(const std::vector<cl::Device>& devices) {
  std::map<std::string, int> counts;
  for (const cl::Device& device : devices) ++counts[device.getInfo<CL_DEVICE_NAME>()];
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} x {}", count, name));
  return fmt::format("{}", fmt::join(parts, ", "));
}

HostData host_data_for(const Case& one, const Device& device) {
  const SgemmCall call = call_of(one.kind, one.size);
  check_fits(device, call);
  return make_host_data(call);
}

std::vector<KernelChoice> ladder_choices(const BenchOptions& options, const Device& device) {
  std::vector<KernelChoice> choices = choose_steps(ladder_steps(), options.kernel_folder);
  const Size size = options.sizes.empty() ? Size{1024, 1024, 1024} : options.sizes.front();
  for (KernelChoice& choice : choices) {
    if (choice.name == searched_step)
      choice.options.parameters = searched_parameters(tuning_from_environment(), size, device);
  }
  return choices;
}

// A kernel that only the suite names need not run everywhere.
std::vector<KernelChoice> choices_for(const BenchOptions& options, const Device& device) {
  if (options.ladder) return ladder_choices(options, device);
  std::vector<KernelChoice> choices = choose_kernels(options, device);
  for (KernelChoice& choice : choices) {
    if (options.suite_kernels) choice.must_run = choice.name == "auto";
  }
  return choices;
}

// What `--peer` said to get this peer.
std::optional<std::string> request_for(const BenchOptions& options, const std::string& peer) {
  for (const PeerRequest& request : options.peers) {
    if (request.name != peer) continue;
    return request.value.empty() ? request.name : fmt::format("{}={}", request.name, request.value);
  }
  return std::nullopt;
}

void try_first_call(const BenchOptions& options, const std::string& who, Figures& figures) {
  if (interrupted() || !figures.measured()) return;
  try {
    const FirstCall first_call = measure_first_call(options, who);
    figures.cold_ms = first_call.cold_ms;
    figures.warm_ms = first_call.warm_ms;
  } catch (const std::exception& error) {
    fmt::print(stderr, "clgemm-bench: note: no first call of {}: {}\n", who, error.what());
  }
}

// For each kernel that was measured, and for the peers that compile as clgemm does.
void add_first_calls(BenchOptions options, const std::vector<KernelChoice>& choices, ShapeResult& result) {
  options.suites = {};
  options.random = {};
  options.sizes = {result.size};
  options.kind = result.kind;
  for (std::size_t i = 0; i < choices.size() && i < result.kernels.size(); ++i) {
    const Options& kernel = choices[i].options;
    options.kernels = {kernel.kernel.empty() ? "auto" : kernel.kernel};
    options.parameters = kernel.parameters;
    try_first_call(options, first_call_of_kernel, result.kernels[i].figures);
  }
  for (PeerResult& peer : result.peers) {
    const auto request = request_for(options, peer.name);
    if (request && peer.name.starts_with("clblast")) try_first_call(options, *request, peer.figures);
  }
}

// Measures one case, as the next of the results.
void add_case(const BenchOptions& options, const Case& one, const std::vector<KernelChoice>& choices,
              const Peers& peers, const cl::CommandQueue& queue, const std::optional<HostLink>& link,
              const Device& device, Progress& progress, Results& results) {
  const Size& size = one.size;
  progress.show(to_string(size) + ": data and reference");
  const HostData data = host_data_for(one, device);
  std::optional<Reference> reference;
  if (options.check) reference.emplace(data);
  const Reference* checked_by = reference ? &*reference : nullptr;
  if (options.ladder) {
    progress.show(to_string(size) + ": loops on the host");
    results.host_loops = run_host_loops(data, checked_by);
  }
  const std::vector<cl::Device> devices = devices_of(options);
  const MeasureSettings settings{options.runs,         options.warmup, options.max_seconds,
                                 options.host_to_host, devices,        options.baseline};
  const Rotation rotation =
      options.rotate ? rotation_for(queue.getInfo<CL_QUEUE_DEVICE>(), data.call) : Rotation{};
  SizeRun run(queue, one, data, checked_by, settings, rotation,
              [&](const std::string& text) { progress.show(to_string(size) + ": " + text); });
  Affordable kernels{choices, {}};
  if (options.suite_kernels) kernels = affordable(choices, results, one, options.max_seconds);
  ShapeResult& done = results.shapes.emplace_back(run.run(kernels.choices, peers.present));
  if (options.rotate) done.rotation = rotation;
  if (const KernelResult* own = done.own(); options.host_to_host && own != nullptr) {
    done.host_bound_ms = host_bound_ms(data.call, link, own->figures.median_ms.value_or(0.0),
                                       std::max<std::size_t>(devices.size(), 1));
  }
  if (options.first_call) add_first_calls(options, kernels.choices, done);
  std::move(kernels.left_out.begin(), kernels.left_out.end(), std::back_inserter(done.kernels));
}

}  // namespace

Results run_bench(const BenchOptions& options, const cl::Device& cl_device) {
  return at_boundary([&] {
    Results results;
    const Device device = describe(cl_device);
    results.facts = facts_now(cl_device);
    results.precision = options.precision;
    results.wanted_runs = options.runs;
    results.max_seconds = options.max_seconds;
    const std::vector<KernelChoice> choices = choices_for(options, device);
    const std::vector<cl::Device> devices = devices_of(options);
    if (devices.size() > 1) results.facts.device = joint_name(devices);
    std::vector<PeerRequest> requests = options.peers;
    for (PeerRequest& request : requests) request.devices = devices;
    Peers peers = make_peers(requests, cl_device);
    results.missing_peers = peers.missing;

    // One context and queue for all sizes: peers keep what they compiled by context.
    const cl::CommandQueue queue(cl::Context(cl_device), cl_device, CL_QUEUE_PROFILING_ENABLE);
    Progress progress;
    std::optional<HostLink> link;
    if (options.host_to_host) link = measure_host_link(queue);
    if (options.ceilings) {
      progress.show("ceilings");
      results.ceilings = measure_ceilings(queue);
    }
    for (const Case& one : cases_of(options, device)) {
      if (interrupted()) break;
      try {
        at_boundary([&] { add_case(options, one, choices, peers, queue, link, device, progress, results); });
      } catch (const Error& error) {
        if (results.shapes.empty()) throw;
        results.stopped_by = fmt::format("{}: {}", to_string(one.size), error.what());
        break;
      }
    }
    return results;
  });
}

}  // namespace clgemm::bench
