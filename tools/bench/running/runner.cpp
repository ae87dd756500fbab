#include "running/runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "command_line/cases.hpp"
#include "common/clock.hpp"
#include "common/interrupt.hpp"
#include "common/kernel_names.hpp"
#include "common/machine_load.hpp"
#include "common/progress.hpp"
#include "common/say.hpp"
#include "running/affordable.hpp"
#include "running/ceilings.hpp"
#include "running/facts.hpp"
#include "running/first_call.hpp"
#include "running/host_link.hpp"
#include "running/ladder.hpp"
#include "running/own_kernel.hpp"
#include "running/rotation.hpp"
#include "running/size_run.hpp"

namespace clgemm::bench {
namespace {

// Returns the devices of --device, or nothing if it was not given.
std::vector<cl::Device> devices_of(const BenchOptions& options) {
  return options.devices.empty() ? std::vector<cl::Device>{}
                                 : find_devices(fmt::format("{}", fmt::join(options.devices, ",")));
}

std::vector<std::string> names_of(const std::vector<cl::Device>& devices) {
  std::vector<std::string> names;
  for (const cl::Device& device : devices) names.push_back(printable(device.getInfo<CL_DEVICE_NAME>()));
  return names;
}

HostData host_data_for(const Case& one, const Device& device) {
  const SgemmCall call = call_of(one.kind, one.size);
  check_fits(device, call);
  return make_host_data(call);
}

// A kernel that only the suite names does not have to run everywhere.
std::vector<KernelChoice> choices_for(const BenchOptions& options, const Device& device) {
  if (options.ladder) return ladder_steps(options, device);
  std::vector<KernelChoice> choices = choose_kernels(options, device);
  for (KernelChoice& choice : choices) {
    if (options.suite_kernels) choice.must_run = choice.name == "auto";
  }
  return choices;
}

// Tries kernels from files before anything is measured. A kernel that cannot run at all is left to the
// measurement, which says why. Ctrl-C ends the process that tries one, too.
void try_own_kernels(const BenchOptions& options, std::vector<KernelChoice>& choices) {
  if (!options.check) return;
  for (KernelChoice& choice : choices) {
    if (!names_a_file(choice.options.kernel)) continue;
    try {
      choice.fault = try_in_own_process(options, choice);
    } catch (const Error&) {
      if (interrupted()) return;
      throw;
    }
  }
}

// Returns the value of `--peer` that selects this peer.
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
    say("clgemm-bench", fmt::format("note: the first call of {} failed: {}", who, error.what()));
  }
}

// Adds them for each kernel that was measured, and for the peers that compile kernels like clgemm.
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

// For runs of many cases: reports the present case, and how long the rest takes if each case takes as long as
// those before.
class Way {
 public:
  explicit Way(std::size_t cases) : cases_(cases) {}
  void next() { ++case_; }

  std::string text() const {
    if (cases_ < 2) return "";
    if (case_ < 2) return fmt::format("[{}/{}] ", case_, cases_);
    const double done = static_cast<double>(case_ - 1);
    const double left_s = 1e-3 * ms_since(start_) / done * (static_cast<double>(cases_) - done);
    return fmt::format("[{}/{}, about {}:{:02} left] ", case_, cases_, static_cast<int>(left_s) / 60,
                       static_cast<int>(left_s) % 60);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t cases_;
  std::size_t case_ = 0;
};

// Measures one case and adds it to the results.
void add_case(const BenchOptions& options, const Case& one, const std::vector<KernelChoice>& choices,
              const Peers& peers, const cl::CommandQueue& queue, const std::optional<HostRates>& link,
              const Device& device, const Way& way, Progress& progress, Results& results) {
  const auto show = [&](const std::string& text) {
    progress.show(fmt::format("{}{}: {}", way.text(), to_string(one.size), text));
  };
  show("data and reference");
  const HostData data = host_data_for(one, device);
  std::optional<Reference> reference;
  if (options.check) reference.emplace(data);
  const Reference* checked_by = reference ? &*reference : nullptr;
  if (options.ladder) {
    show("loops on the host");
    results.host_loops = run_host_loops(data, checked_by);
  }
  // The steps of the ladder are the techniques as they are taught, with their defaults.
  const std::vector<KernelChoice> here =
      options.ladder ? choices : with_own_parameters(choices, data.call, device);
  Affordable kernels{here, {}};
  if (options.suite_kernels) kernels = affordable(here, results, one, options.max_seconds);
  const bool baseline = options.baseline && !leaves_out_baseline(kernels);
  const std::vector<cl::Device> devices = devices_of(options);
  const MeasureSettings settings{options.runs,         options.warmup, options.max_seconds,
                                 options.host_to_host, devices,        baseline};
  const Rotation rotation =
      options.rotate ? rotation_for(queue.getInfo<CL_QUEUE_DEVICE>(), data.call) : Rotation{};
  SizeRun run(queue, one, data, checked_by, settings, rotation, show);
  std::vector<PeerResult> too_slow;
  const auto is_affordable = [&](const Peer& peer) {
    const auto seconds = seconds_of_a_run(peer, results, data, queue, options.max_seconds);
    if (!seconds || *seconds <= options.max_seconds) return true;
    too_slow.push_back(peer.unmeasured);
    too_slow.back().figures.reason = left_out(*seconds);
    return false;
  };
  std::vector<const Peer*> entering;
  for (const Peer& peer : peers.present) {
    if (is_affordable(peer)) entering.push_back(&peer);
  }
  ShapeResult& done = results.shapes.emplace_back(run.run(kernels.choices, entering));
  if (options.rotate) done.rotation = rotation;
  if (const KernelResult* own = done.own(); options.host_to_host && own != nullptr) {
    done.host_bound_ms = host_bound_ms(data.call, link, own->figures.median_ms.value_or(0.0),
                                       std::max<std::size_t>(devices.size(), 1));
  }
  if (options.first_call) add_first_calls(options, kernels.choices, done);
  std::move(too_slow.begin(), too_slow.end(), std::back_inserter(done.peers));
  std::move(kernels.left_out.begin(), kernels.left_out.end(), std::back_inserter(done.kernels));
}

// Returns the message of the error with this size.
std::string with_size(const Case& one, const Error& error) {
  const std::string size = to_string(one.size);
  const std::string why = error.what();
  return why.starts_with(size) ? why : fmt::format("{}: {}", size, why);
}

// Calls `add` for each case. A case that does not fit the memory does not affect the next ones. Another error
// may apply to all cases, so it ends the run. Throws the first error if there are no results.
void add_cases(const std::vector<Case>& cases, Results& results,
               const std::function<void(const Case&)>& add) {
  std::optional<Error> first;
  for (const Case& one : cases) {
    if (interrupted()) break;
    try {
      at_boundary([&] { add(one); });
    } catch (const Error& error) {
      if (!first) first = error;
      results.failures.push_back(with_size(one, error));
      if (error.code() != ErrorCode::out_of_memory) break;
    }
  }
  if (results.shapes.empty() && first) throw *first;
}

}  // namespace

Results run_bench(const BenchOptions& options, const cl::Device& cl_device) {
  const Device device = at_boundary([&] { return describe(cl_device); });
  const std::vector<Case> cases = cases_of(options, device);  // a UsageError of it is passed on unchanged
  return at_boundary([&] {
    Results results;
    const MachineLoad load;
    results.facts = facts_now(cl_device);
    results.precision = options.precision;
    results.wanted_runs = options.runs;
    results.max_seconds = options.max_seconds;
    std::vector<KernelChoice> choices = choices_for(options, device);
    try_own_kernels(options, choices);
    const std::vector<cl::Device> devices = devices_of(options);
    if (devices.size() > 1) results.facts.device = joint_name(names_of(devices));
    std::vector<PeerRequest> requests = options.peers;
    for (PeerRequest& request : requests) request.devices = devices;
    Peers peers = make_peers(requests, cl_device);
    results.missing_peers = peers.missing;

    // All sizes share one context and queue, because peers keep their compiled kernels by context.
    const cl::Context context(cl_device);  // not every implementation lets a queue keep it
    const cl::CommandQueue queue(context, cl_device, CL_QUEUE_PROFILING_ENABLE);
    Progress progress;
    std::optional<HostRates> link;
    if (options.host_to_host && !interrupted()) link = measure_host_link(queue);
    if (options.ceilings && !interrupted()) {
      progress.show("ceilings");
      results.ceilings = measure_ceilings(queue);
    }
    Way way(cases.size());
    add_cases(cases, results, [&](const Case& one) {
      way.next();
      add_case(options, one, choices, peers, queue, link, device, way, progress, results);
    });
    results.part_of_others = load.part_of_others();
    return results;
  });
}

}  // namespace clgemm::bench
