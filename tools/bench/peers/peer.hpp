// Other implementations of the same multiply, measured in the same run on the same data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contestants/contestant.hpp"
#include "figures/results.hpp"
#include "peers/request.hpp"

namespace clgemm::bench {

class Peer {
 public:
  virtual ~Peer() = default;

  virtual std::string name() const = 0;   // "clblast": its key in JSON
  virtual std::string title() const = 0;  // "CLBlast": for people
  virtual std::string version() const = 0;
  virtual std::string settings() const = 0;  // whatever else decides how fast it is

  // Whether it computes in fp32. One that does not is checked all the same, but a result beyond the bound of
  // fp32 is what was expected of it, and does not fail the run.
  virtual bool computes_in_fp32() const { return true; }

  // `data` must outlive the contestant.
  virtual std::unique_ptr<Contestant> enter(const DeviceData& data) const = 0;
};

struct Peers {
  std::vector<std::unique_ptr<Peer>> present;
  std::vector<MissingPeer> missing;
};

// `device` is the one that clgemm runs on. A peer that cannot be had is among the missing.
Peers make_peers(const std::vector<PeerRequest>& requests, const cl::Device& device);

// One or more peers for a request; each throws where there is none to be had, and the text says why.
using PeerList = std::vector<std::unique_ptr<Peer>>;
PeerList make_clblast(const PeerRequest& request, const cl::Device& device);
PeerList make_tuned_clblast(const PeerRequest& request, const cl::Device& device);
PeerList make_cublas(const PeerRequest& request, const cl::Device& device);
PeerList make_cublasxt(const PeerRequest& request, const cl::Device& device);
PeerList make_cblas(const PeerRequest& request, const cl::Device& device);

}  // namespace clgemm::bench
