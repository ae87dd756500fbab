// The state of a Context: one device, its OpenCL context and queue, and the caches. It also has the steps of
// a call on buffers.
#pragma once

#include <clgemm/clgemm.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "base/device_health.hpp"
#include "base/opencl.hpp"
#include "build/program_cache.hpp"
#include "call/arguments.hpp"
#include "context/chooser.hpp"
#include "host/host_batches.hpp"
#include "host/host_calls.hpp"
#include "launch/enqueue_gemm.hpp"
#include "scratch/list_memory.hpp"
#include "scratch/scratch.hpp"

namespace clgemm {

class Context::State final : private DeviceCalls {
 public:
  explicit State(const cl::Device& device);
  explicit State(const cl::CommandQueue& queue);

  // Returns the things that the arguments of a call are checked against.
  Surroundings surroundings(const Options& options) const { return {context_, info_, options.scratch}; }

  // Checks a batch at any places, and returns the GEMMs that compute it in the least time: one for each list,
  // or one for each strided batch in the lists. `one` has what all GEMMs share; alpha, beta and leading
  // dimensions are in the lists.
  std::vector<DeviceGemm> check_batch(const SgemmCall& one, const BatchLists& lists, const Options& options);

  // Enqueues all commands of the call behind `wait_for`.
  Enqueued enqueue(const DeviceGemm& gemm, const Sequence& sequence, const Events& wait_for,
                   const Options& options);

  // Computes any batch of host matrices.
  void multiply(const HostBatch& batch, const Options& options);

  // Return the objects for GEMMs on host matrices.
  HostCalls& host() { return host_; }
  const HostCalls& host() const { return host_; }
  HostBatches& host_batches() { return host_batches_; }

  // Chooses a kernel according to `options`, and builds the programs of the plan. If clgemm chooses, it
  // replaces a kernel that this device cannot run by the next one. A kernel that the caller named is never
  // replaced.
  std::shared_ptr<const ChosenPlan> plan(const Problem& problem, const Options& options);

  // Describes that plan and its choice in words, one fact a line.
  std::string explain(const Problem& problem, const Options& options) override;

  // Returns the model's time for that plan. It builds nothing.
  double predicted_seconds(const Problem& problem, const Options& options) override;

  // Waits until every new program is built and on disk.
  void finish_keeping() {
    chooser_.finish_building();
    programs_.finish_keeping();
  }

  // Every public function that needs the device runs its body in health().watch().
  DeviceHealth& health() { return health_; }

  const Device& info() const { return info_; }
  const cl::Context& context() const { return context_; }
  const cl::Device& device() const { return device_; }
  const cl::CommandQueue& queue() const { return queue_; }

 private:
  State(const cl::Context& context, const cl::Device& device);

  Enqueued enqueue_on_own_queue(const DeviceGemm& gemm, const Events& wait_for,
                                const Options& options) override {
    return enqueue(gemm, {queue_, true, true, true}, wait_for, options);
  }

  // Makes the plans of all calls of a batch, because each plan may need something that the options do not
  // allow. Throws the Error of the first plan that cannot be made.
  void check_options(const std::vector<DeviceGemm>& gemms, const Options& options);

  // Returns whether one launch with a list takes less time than one for each strided batch.
  bool pays_as_list(const DeviceGemm& listed, const std::vector<StridedBatch>& strided_batches,
                    const Options& options);

  std::size_t scratch_limit(const Options& options) const override;

  const Rates& rates() override { return chooser_.rates(); }

  // One attempt to compute a GEMM.
  struct Attempt {
    std::size_t scratch_limit;
    Chooser::Needs needs;
    Events wait_for;
    std::string why;  // if it is not the first attempt: the failure of the one before
  };

  // Computes the terms of a sum, one after the other. It returns no commands, because they are needed only
  // for host calls, which have no such sums.
  Enqueued enqueue_sum(const DeviceGemm& gemm, const Sequence& sequence, const Events& wait_for,
                       const Options& options);

  // Plans and enqueues a GEMM. If the device has no memory for the scratch, it tries smaller blocks, and
  // finally a kernel that needs no scratch.
  Enqueued multiply(const DeviceGemm& gemm, const Buffers& buffers, const Sequence& sequence,
                    const Events& wait_for, const Options& options);
  Events multiply_as_planned(const ChosenPlan& chosen, const Problem& problem, const Buffers& buffers,
                             const Sequence& sequence, const Events& wait_for, const Options& options,
                             Progress& progress);

  // Calls Chooser::choose(). Its Error also names the failure before.
  std::shared_ptr<const ChosenPlan> choose(const Problem& problem, const Options& options,
                                           const Attempt& attempt);

  // Prepares the next attempt from the last one. Returns false if there is no other way.
  bool can_try_again(const Error& error, const ChosenPlan& failed, const Options& options, Attempt& attempt);

  // Returns the lines of explain() for a device without rows.
  std::string describe_unmeasured();

  // Enqueues C <- beta * C.
  Events scale(const Problem& problem, cl_mem c, const Sequence& sequence, const Events& wait_for,
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
  HostCalls host_;
  HostBatches host_batches_;
};

Context::State& state_of(Context& context);

}  // namespace clgemm
