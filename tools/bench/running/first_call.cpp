#include "running/first_call.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "common/child_process.hpp"
#include "common/own_folder.hpp"
#include "kernel/precision.hpp"
#include "measuring/contestant.hpp"
#include "measuring/device_data.hpp"
#include "peers/peer.hpp"
#include "running/kernel_choice.hpp"

namespace clgemm::bench {
namespace {

// Separate caches, which are removed at the end.
class EmptyCaches {
 public:
  EmptyCaches() {
    for (const auto& [variable, path] : variables()) std::filesystem::create_directory(path);
  }
  std::map<std::string, std::string> variables() const {
    return {{"CLGEMM_CACHE_DIR", (folder_.path() / "clgemm").string()},
            {"POCL_CACHE_DIR", (folder_.path() / "pocl").string()},
            {"CUDA_CACHE_PATH", (folder_.path() / "cuda").string()}};
  }

 private:
  OwnFolder folder_{"clgemm-first-call-"};
};

std::vector<std::string> arguments_of(const BenchOptions& options, const std::string& who) {
  const Size& size = options.sizes.front();
  std::vector<std::string> words = {
      "--first-call-of", who,
      "--size",          fmt::format("{}x{}x{}", size.m, size.n, size.k),
      "--layout",        options.kind.layout == Layout::row_major ? "row" : "column",
      "--alpha",         fmt::format("{}", options.kind.alpha),
      "--beta",          fmt::format("{}", options.kind.beta)};
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  add("--gap", std::to_string(options.kind.gap));
  add("--batch", std::to_string(options.kind.batch_count));
  if (options.kind.transpose_a == Transpose::yes) words.emplace_back("--transpose-a");
  if (options.kind.transpose_b == Transpose::yes) words.emplace_back("--transpose-b");
  if (!options.device.empty()) add("--device", options.device);
  if (who != first_call_of_kernel) return words;
  add("--kernel", options.kernels.front());
  add("--precision", std::string(to_string(options.precision)));
  for (const auto& [name, value] : options.parameters) add("--param", fmt::format("{}={}", name, value));
  if (!options.kernel_folder.empty()) add("--kernel-folder", options.kernel_folder);
  return words;
}

}  // namespace

FirstCall measure_first_call(const BenchOptions& options, const std::string& who) {
  const std::vector<std::string> arguments = arguments_of(options, who);
  const EmptyCaches caches;
  // A driver may ignore the path of its cache, but an empty folder is surely empty.
  std::map<std::string, std::string> cold = caches.variables();
  cold.emplace("CUDA_CACHE_DISABLE", "1");
  FirstCall result;
  result.cold_ms = std::stod(run_self(arguments, cold));
  run_self(arguments, caches.variables());  // also fills the driver's cache, like any earlier process
  result.warm_ms = std::stod(run_self(arguments, caches.variables()));
  return result;
}

double time_first_call(const BenchOptions& options) {
  const HostData host = make_host_data(call_of(options.kind, options.sizes.front()));
  const auto start = std::chrono::steady_clock::now();
  const cl::Device device = options.device.empty() ? default_device() : find_devices(options.device).front();
  const cl::Context context(device);  // not every implementation lets a queue keep it
  const cl::CommandQueue queue(context, device, CL_QUEUE_PROFILING_ENABLE);
  const DeviceData data(queue, host);
  std::unique_ptr<Contestant> contestant;
  Peers peers;
  if (options.first_call_of == first_call_of_kernel) {
    contestant = make_kernel_contestant(data, choose_kernels(options, describe(device)).front().options);
  } else {
    peers = make_peers(parse_peers({options.first_call_of}), device);
    if (peers.present.empty()) throw std::runtime_error(peers.missing.front().reason);
    contestant = peers.present.front()->enter(data);
  }
  contestant->run();
  data.wait_for_c();
  return ms_since(start);
}

}  // namespace clgemm::bench
