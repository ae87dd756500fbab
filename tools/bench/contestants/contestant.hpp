// Whatever multiplies one problem and is measured: a kernel of ours, or a peer.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "common/clock.hpp"
#include "common/error_bound.hpp"
#include "context/plan_memory.hpp"
#include "data/device_data.hpp"

namespace clgemm::bench {

// The device's, unless the time it gives for an operation is no real one beside the host's for the call.
Clock trusted_clock(double operation_ms, double call_ms);

struct RunTimes {
  // From the first kernel's start to the last one's end, where possible on a device that was busy until all
  // of them were enqueued; 0 where no device ran.
  double operation_ms = 0.0;
  double call_ms = 0.0;  // from the call to its completion, by the host's clock
  std::size_t launches = 0;
};

struct HostRun {
  double ms = 0.0;       // by the host's clock
  std::vector<float> c;  // the result, row-major without gaps
};

// How a kernel computes. A kernel of a file that is not built in is another's, unless it has a name of ours.
Arithmetic arithmetic_of(const KernelConfig& kernel);

class Contestant {
 public:
  virtual ~Contestant() = default;

  // One multiply, with C as it was at first; restoring C is in neither time.
  virtual RunTimes run() = 0;

  // C after the last run(), row-major without gaps. Valid until another contestant runs.
  virtual std::vector<float> result() = 0;

  // What the last result() found written outside C, in words; empty where nothing was, or nobody looked.
  virtual std::string damage() { return {}; }

  // How run() multiplies, where that is by kernels of clgemm's, named or chosen; null for a peer.
  virtual std::shared_ptr<const ChosenPlan> plan() { return nullptr; }

  // The largest error ratio that passes for sums of k products of random numbers: of whichever kernel of the
  // plan computes them, or plain fp32's for a peer.
  double bound_of_random(std::size_t k);

  // One multiply of matrices in the host's memory, with whatever transfers it needs.
  virtual HostRun run_host_to_host() = 0;
};

// One that enqueues on the queue of DeviceData.
class OpenClContestant : public Contestant {
 public:
  // `data` must outlive it.
  explicit OpenClContestant(const DeviceData& data) : data_(data) {}

  RunTimes run() final;
  std::vector<float> result() final { return data_.read_c(); }
  std::string damage() final { return data_.damage(); }

 protected:
  const DeviceData& data() const { return data_; }

 private:
  virtual void enqueue() = 0;
  RunTimes run_once();

  const DeviceData& data_;
};

// clgemm with the kernel that `options` name. It has a clgemm::Context of its own, so that its first run
// compiles all that it needs.
// Where there are several `devices`, they share its multiplies from host to host.
std::unique_ptr<Contestant> make_kernel_contestant(const DeviceData& data, const Options& options,
                                                   const std::vector<cl::Device>& devices = {});

}  // namespace clgemm::bench
