// What a Context keeps: one device, its OpenCL context and queue, and the caches.
#pragma once

#include <clgemm/clgemm.hpp>
#include <memory>
#include <mutex>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "build/program_cache.hpp"
#include "call/arguments.hpp"
#include "context/chooser.hpp"
#include "context/device_health.hpp"
#include "context/host_copies.hpp"
#include "context/host_matrices.hpp"
#include "context/list_memory.hpp"
#include "context/scratch.hpp"
#include "context/streamed_multiply.hpp"
#include "launch/multiply.hpp"

namespace clgemm {

class Context::State {
 public:
  explicit State(const cl::Device& device);
  explicit State(const cl::CommandQueue& queue);

  // What the arguments of a call are checked against.
  Surroundings surroundings(const Options& options) const { return {context_, info_, options.scratch}; }

  // Checks a batch at any places, and returns what does it in the least time: one GEMM for each list, or for
  // each run of matrices that lie evenly apart. `one` is what the multiplies have in common; alpha, beta and
  // leading dimensions are in the lists.
  std::vector<DeviceGemm> check_batch(const SgemmCall& one, const BatchLists& lists, const Options& options);

  // Enqueues whatever the call needs behind `wait_for`.
  Enqueued enqueue(const DeviceGemm& gemm, const Sequence& sequence, const Events& wait_for,
                   const Options& options);

  // Host matrices, neither empty nor only scaled; returns when C is complete. All has been checked.
  void sgemm_on_host(const HostGemm& host, const Options& options);

  // Whether it does that on the matrices where they lie, as a device does that shares the host's memory.
  bool works_in_place() const { return info_.shares_host_memory && !always_copies_; }

  // From now on as a device of its own memory does, for tests on others. Before any call.
  void always_copy() { always_copies_ = true; }

  // The same in parts on copies in the device's own memory.
  void sgemm_in_parts(const HostGemm& host, const Options& options);

  // Rounds of such parts, those that `next_round` gives.
  void sgemm_on_copies(const StreamedCall& call, const Options& options);

  // How that goes, with at most so many bytes on the device, and with so many devices that share the rounds.
  StreamPlan stream_plan(const Problem& problem, const Options& options, std::size_t device_bytes,
                         std::size_t sharers = 1) const;

  // What a call on host matrices may hold on the device, in bytes.
  std::size_t device_memory_limit(const Options& options) const;

  // How a call on host matrices goes, in words, a line a fact.
  std::string explain_on_host(const Problem& problem, const Options& options, std::size_t sharers = 1);

  // How long it should take, by the speed model and the speed of transfers. Builds nothing.
  double predict_on_host(const Problem& problem, const Options& options);

  // Chooses a kernel, as `options` say, and builds what the plan needs. Where clgemm chooses, a kernel that
  // this device cannot run gives way to the next one; a kernel that the caller named is never replaced.
  std::shared_ptr<const ChosenPlan> plan(const Problem& problem, const Options& options);

  // That plan and its choice in words, a line a fact.
  std::string explain(const Problem& problem, const Options& options);

  // What the model expects of that plan; builds nothing.
  double predicted_seconds(const Problem& problem, const Options& options);

  // Waits until every new program is on disk.
  void finish_keeping() { programs_.finish_keeping(); }

  // Every public function that needs the device runs its body in health().watch().
  DeviceHealth& health() { return health_; }

  const Device& info() const { return info_; }
  const cl::Context& context() const { return context_; }
  const cl::Device& device() const { return device_; }
  const cl::CommandQueue& queue() const { return queue_; }

 private:
  State(const cl::Context& context, const cl::Device& device);

  // On the matrices where they lie, false where that cannot be.
  bool multiply_in_place(const HostGemm& host, const Options& options);

  // What host matrices need of this object. `options` must outlive it.
  DeviceMultiply on_own_queue(const Options& options);

  // Copies that no other call uses; they go back when a call has succeeded.
  std::unique_ptr<HostCopies> take_copies();
  void give_back(std::unique_ptr<HostCopies> copies);

  // Whether one launch by a list takes less time than one for each of the runs.
  bool pays_as_list(const DeviceGemm& listed, const std::vector<BatchRun>& runs, const Options& options);

  // The most scratch that a call may take.
  std::size_t scratch_limit(const Options& options) const;

  // One of the ways in which a multiply is tried.
  struct Attempt {
    std::size_t scratch_limit;
    Events wait_for;
    std::string why;  // it is not the first: what failed then
  };

  // Plans and enqueues a multiply. Where the device has no memory for the scratch, smaller blocks are tried,
  // down to a kernel that needs none.
  Enqueued multiply(const DeviceGemm& gemm, const Buffers& buffers, const Sequence& sequence,
                    const Events& wait_for, const Options& options);
  Events multiply_as_planned(const BuiltPlan& built, const Problem& problem, const Buffers& buffers,
                             const Sequence& sequence, const Events& wait_for, const Options& options,
                             Progress& progress);

  // Chooser::choose(); its Error names what failed before, too.
  std::shared_ptr<const ChosenPlan> choose(const Problem& problem, const Options& options,
                                           const Attempt& attempt);

  // Makes the next attempt of the last one. False where there is no other way.
  bool can_try_again(const Error& error, const ChosenPlan& failed, const Options& options, Attempt& attempt);

  // Enqueues C <- beta * C.
  Events scale(const Problem& problem, const cl::Buffer& c, const Sequence& sequence, const Events& wait_for,
               const Options& options);

  cl::Context context_;
  cl::Device device_;
  cl::CommandQueue queue_;  // in-order, for host matrices
  Device info_;
  DeviceHealth health_;
  ProgramCache programs_;
  Chooser chooser_;
  ScratchPool scratch_;
  ScratchPool arrivals_;
  ListMemory lists_;

  bool always_copies_ = false;
  std::mutex copies_mutex_;
  std::unique_ptr<HostCopies> idle_copies_;
};

Context::State& state_of(Context& context);

}  // namespace clgemm
