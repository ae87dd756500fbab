// CLBlast, as it comes: the parameters that it ships for the device.
#include <stdexcept>

#include "peers/peer.hpp"

#ifdef CLGEMM_BENCH_HAS_CLBLAST

#include <clblast.h>
#include <fmt/format.h>

#include "error.hpp"

namespace clgemm::bench {
namespace {

clblast::Transpose to_clblast(Transpose transpose) {
  return transpose == Transpose::yes ? clblast::Transpose::kYes : clblast::Transpose::kNo;
}

class ClblastContestant final : public OpenClContestant {
 public:
  using OpenClContestant::OpenClContestant;

 private:
  void enqueue() override {
    const SgemmCall& call = data().call();
    const DeviceMatrix a = data().a();
    const DeviceMatrix b = data().b();
    const DeviceMatrix c = data().c();
    cl_command_queue queue = data().queue()();
    const auto layout =
        call.layout == Layout::row_major ? clblast::Layout::kRowMajor : clblast::Layout::kColMajor;
    const clblast::StatusCode status =
        clblast::Gemm<float>(layout, to_clblast(call.transpose_a), to_clblast(call.transpose_b), call.m,
                             call.n, call.k, call.alpha, a.buffer, a.offset, a.ld, b.buffer, b.offset, b.ld,
                             call.beta, c.buffer, c.offset, c.ld, &queue);
    if (status != clblast::StatusCode::kSuccess) {
      throw Error(ErrorCode::opencl_error,
                  fmt::format("CLBlast failed: status {}", static_cast<int>(status)));
    }
  }
};

class Clblast final : public Peer {
 public:
  std::string name() const override { return "clblast"; }
  std::string title() const override { return "CLBlast"; }
  std::string version() const override {
    return fmt::format("{}.{}.{}", CLBLAST_VERSION_MAJOR, CLBLAST_VERSION_MINOR, CLBLAST_VERSION_PATCH);
  }
  std::string settings() const override { return "the parameters that it ships"; }
  std::unique_ptr<Contestant> enter(const DeviceData& data) const override {
    return std::make_unique<ClblastContestant>(data);
  }
};

}  // namespace

PeerList make_clblast(const PeerRequest& /*request*/, const cl::Device& /*device*/) {
  PeerList peers;
  peers.push_back(std::make_unique<Clblast>());
  return peers;
}

}  // namespace clgemm::bench

#else

namespace clgemm::bench {

PeerList make_clblast(const PeerRequest& /*request*/, const cl::Device& /*device*/) {
  throw std::runtime_error("this clgemm-bench was built without it");
}

}  // namespace clgemm::bench

#endif
