// CLBlast with its own parameters, and CLBlast with the parameters from its tuner's files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "peers/clblast.hpp"
#include "peers/peer.hpp"

namespace clgemm::bench {
namespace {

class Clblast final : public Peer {
 public:
  // Throws if there is no CLBlast, or if it does not accept the parameters.
  Clblast(std::string name, std::string title, ClblastParameters parameters, std::string settings)
      : name_(std::move(name)),
        title_(std::move(title)),
        version_(clblast_version()),
        parameters_(std::move(parameters)),
        settings_(std::move(settings)) {}

  std::string name() const override { return name_; }
  std::string title() const override { return title_; }
  std::string version() const override { return version_; }
  std::string settings() const override { return settings_; }
  std::unique_ptr<Contestant> enter(const DeviceData& data) const override {
    return make_clblast_contestant(data, parameters_);
  }

 private:
  std::string name_;
  std::string title_;
  std::string version_;
  ClblastParameters parameters_;
  std::string settings_;
};

// "Xgemm KREG=1 KWG=32 ... tuned on NVIDIA H200"
std::string describe(const TunedKernel& kernel) {
  std::map<std::string, std::size_t> sorted(kernel.parameters.begin(), kernel.parameters.end());
  std::vector<std::string> words = {kernel.kernel};
  for (const auto& [name, value] : sorted) words.push_back(fmt::format("{}={}", name, value));
  if (!kernel.device.empty()) words.push_back("tuned on " + kernel.device);
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<TunedKernel> read_files(const std::string& comma_separated) {
  std::vector<TunedKernel> kernels;
  std::istringstream files(comma_separated);
  for (std::string file; std::getline(files, file, ',');) kernels.push_back(read_tuned_kernel(file));
  return best_of_each_kernel(kernels);
}

}  // namespace

PeerList make_clblast(const PeerRequest& request, const cl::Device& /*device*/) {
  PeerList peers;
  peers.push_back(std::make_unique<Clblast>(request.name, "CLBlast", ClblastParameters{},
                                            "the parameters that it ships"));
  return peers;
}

PeerList make_tuned_clblast(const PeerRequest& request, const cl::Device& device) {
  ClblastParameters parameters;
  std::vector<std::string> settings;
  for (const TunedKernel& kernel : read_files(request.value)) {
    parameters[kernel.kernel] = kernel.parameters;
    settings.push_back(describe(kernel));
  }
  try_parameters(device(), parameters);
  PeerList peers;
  peers.push_back(std::make_unique<Clblast>(request.name, "CLBlast tuned", parameters,
                                            fmt::format("{}", fmt::join(settings, "; "))));
  return peers;
}

}  // namespace clgemm::bench
