#include "running/first_call.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "command_line/cases.hpp"
#include "common/child_process.hpp"
#include "common/own_folder.hpp"
#include "measuring/contestant.hpp"
#include "measuring/device_data.hpp"
#include "peers/peer.hpp"
#include "running/kernel_choice.hpp"

namespace clgemm::bench {
namespace {

std::vector<std::string> arguments_of(const BenchOptions& options, const std::string& who) {
  const Size& size = options.sizes.front();
  const GemmKind& kind = options.kind;
  std::vector<std::string> words = words_of_kernel(options);
  words.insert(words.end(),
               {"--first-call-of", who, "--size", fmt::format("{}x{}x{}", size.m, size.n, size.k), "--layout",
                kind.layout == Layout::row_major ? "row" : "column", "--alpha", fmt::format("{}", kind.alpha),
                "--beta", fmt::format("{}", kind.beta), "--gap", std::to_string(kind.gap), "--batch",
                std::to_string(kind.batch_count)});
  if (kind.transpose_a == Transpose::yes) words.emplace_back("--transpose-a");
  if (kind.transpose_b == Transpose::yes) words.emplace_back("--transpose-b");
  return words;
}

}  // namespace

FirstCall measure_first_call(const BenchOptions& options, const std::string& who) {
  const std::vector<std::string> arguments = arguments_of(options, who);
  const OwnFolder folder("clgemm-first-call-");
  std::map<std::string, std::string> caches;
  for (const char* variable : {"CLGEMM_CACHE_DIR", "POCL_CACHE_DIR", "CUDA_CACHE_PATH"}) {
    caches[variable] = (folder.path() / variable).string();
    std::filesystem::create_directory(caches[variable]);
  }
  // A driver may ignore the path of its cache, but an empty folder is surely empty.
  std::map<std::string, std::string> cold = caches;
  cold.emplace("CUDA_CACHE_DISABLE", "1");
  FirstCall result;
  result.cold_ms = std::stod(run_self(arguments, cold));
  run_self(arguments, caches);  // also fills the driver's cache, like any earlier process
  result.warm_ms = std::stod(run_self(arguments, caches));
  return result;
}

double time_first_call(const BenchOptions& options) {
  const HostData host = make_host_data(call_of(options.kind, options.sizes.front()));
  const auto start = std::chrono::steady_clock::now();
  const cl::Device device = device_of(options);
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
    contestant = peers.present.front().enter(data);
  }
  contestant->run();
  data.wait_for_c();
  return ms_since(start);
}

}  // namespace clgemm::bench
