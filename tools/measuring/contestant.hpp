// Anything that computes a problem and is measured: one of our kernels, or a peer.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "common/clock.hpp"
#include "common/error_bound.hpp"
#include "context/plan_memory.hpp"
#include "measuring/device_data.hpp"

namespace clgemm::bench {

// Returns the device's clock, unless its time for an operation is implausible beside the host's time for the
// call.
Clock trusted_clock(double operation_ms, double call_ms);

struct RunTimes {
  // From the start of the first kernel to the end of the last one, if possible on a device that was busy
  // until all of them were enqueued. 0 if no device ran.
  double operation_ms = 0.0;
  double call_ms = 0.0;  // from the call to its completion, by the host's clock
  std::size_t launches = 0;
};

struct HostRun {
  double ms = 0.0;       // by the host's clock
  std::vector<float> c;  // the result, row-major without gaps
};

// Times `multiply`, which computes C in a copy of the host's initial C.
template <class Multiply>
HostRun host_run(const DeviceData& data, const Multiply& multiply) {
  std::vector<float> c = data.stored().c;
  const double ms = ms_of([&] { multiply(c); });
  return {ms, c_as_row_major(data.call(), std::move(c))};
}

// Returns how a kernel computes. A kernel from a file that is not built in counts as foreign, unless it has
// the name of a built-in kernel.
Arithmetic arithmetic_of(const KernelConfig& kernel);

class Contestant {
 public:
  virtual ~Contestant() = default;

  // Runs one GEMM on the initial C. The time to restore C is not included.
  virtual RunTimes run() = 0;

  // Returns C after the last run(), row-major without gaps. Valid until another contestant runs.
  virtual std::vector<float> result() = 0;

  // Describes the writes outside C that the last result() found. Empty if there were none, or if nothing
  // checked.
  virtual std::string damage() { return {}; }

  // Returns the plan of run() if it uses clgemm's kernels, named or chosen. Null for a peer.
  virtual std::shared_ptr<const ChosenPlan> plan() { return nullptr; }

  // Returns the largest error ratio that passes for sums of k products of random numbers. It is that of the
  // kernel of the plan that computes them, or that of plain fp32 for a peer.
  double bound_of_random(std::size_t k);

  // Runs one GEMM on matrices in the host's memory, with all transfers that it needs.
  virtual HostRun run_host_to_host() = 0;
};

// A contestant that enqueues on the queue of DeviceData.
class OpenClContestant : public Contestant {
 public:
  // `data` must outlive the contestant.
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

// Makes the contestant for clgemm with the kernel that `options` name. It has a clgemm::Context of its own,
// so its first run compiles all that it needs. If there are several `devices`, they share its GEMMs from host
// to host.
std::unique_ptr<Contestant> make_kernel_contestant(const DeviceData& data, const Options& options,
                                                   const std::vector<cl::Device>& devices = {});

}  // namespace clgemm::bench
