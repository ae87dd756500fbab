// Other implementations of GEMM, measured in the same run on the same data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "figures/results.hpp"
#include "measuring/contestant.hpp"
#include "peers/request.hpp"

namespace clgemm::bench {

class Peer {
 public:
  virtual ~Peer() = default;

  virtual std::string name() const = 0;   // "clblast": the key in JSON
  virtual std::string title() const = 0;  // "CLBlast": the name for readers
  virtual std::string version() const = 0;
  virtual std::string settings() const = 0;  // other settings that affect its speed

  // Returns true if it computes in fp32. A peer that does not is checked, too, but its result may exceed the
  // bound of fp32 without failing the run.
  virtual bool computes_in_fp32() const { return true; }

  // `data` must outlive the contestant.
  virtual std::unique_ptr<Contestant> enter(const DeviceData& data) const = 0;
};

struct Peers {
  std::vector<std::unique_ptr<Peer>> present;
  std::vector<MissingPeer> missing;
};

// `device` is clgemm's device. A peer that is not available is listed as missing.
Peers make_peers(const std::vector<PeerRequest>& requests, const cl::Device& device);

// One or more peers for a request. Each throws if the peer is not available, and the text says why.
using PeerList = std::vector<std::unique_ptr<Peer>>;
PeerList make_clblast(const PeerRequest& request, const cl::Device& device);
PeerList make_tuned_clblast(const PeerRequest& request, const cl::Device& device);
PeerList make_cublas(const PeerRequest& request, const cl::Device& device);
PeerList make_cublasxt(const PeerRequest& request, const cl::Device& device);
PeerList make_cblas(const PeerRequest& request, const cl::Device& device);

}  // namespace clgemm::bench
