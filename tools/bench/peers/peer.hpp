// Other implementations of GEMM, measured in the same run on the same data.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "figures/results.hpp"
#include "measuring/contestant.hpp"
#include "peers/request.hpp"

namespace clgemm::bench {

struct Peer {
  // Its name, version and settings, without figures. A peer that does not compute in fp32 is checked, too,
  // but its result may exceed the bound of fp32 without failing the run.
  PeerResult unmeasured;

  // `data` must outlive the contestant.
  std::function<std::unique_ptr<Contestant>(const DeviceData& data)> enter;
};

struct Peers {
  std::vector<Peer> present;
  std::vector<MissingPeer> missing;
};

// `device` is clgemm's device. A peer that is not available is listed as missing.
Peers make_peers(const std::vector<PeerRequest>& requests, const cl::Device& device);

// One or more peers for a request. Each throws if the peer is not available, and the text says why.
std::vector<Peer> make_clblast(const PeerRequest& request, const cl::Device& device);
std::vector<Peer> make_tuned_clblast(const PeerRequest& request, const cl::Device& device);
std::vector<Peer> make_cublas(const PeerRequest& request, const cl::Device& device);
std::vector<Peer> make_cublasxt(const PeerRequest& request, const cl::Device& device);
std::vector<Peer> make_cblas(const PeerRequest& request, const cl::Device& device);

}  // namespace clgemm::bench
