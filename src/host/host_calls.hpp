// Computes GEMMs on host matrices with one device: in place if the device shares the host's memory, and
// otherwise in parts on copies.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "base/device.hpp"
#include "base/device_health.hpp"
#include "base/opencl.hpp"
#include "call/gemm.hpp"
#include "host/host_copies.hpp"
#include "host/host_matrices.hpp"
#include "host/streamed_gemm.hpp"
#include "plan/stream_plan.hpp"
#include "scratch/scratch.hpp"

namespace clgemm {

// The functions that calls on host matrices need from the object that keeps the device.
class DeviceCalls {
 public:
  // Enqueues a GEMM on the device's own queue. Each of its commands has an event.
  virtual Enqueued enqueue_on_own_queue(const DeviceGemm& gemm, const Events& wait_for,
                                        const Options& options) = 0;

  virtual double predicted_seconds(const Problem& problem, const Options& options) = 0;
  virtual std::string explain(const Problem& problem, const Options& options) = 0;

  // Returns the rates of the device and its link.
  virtual const Rates& rates() = 0;

  // Returns the most scratch that a call may take, in bytes.
  virtual std::size_t scratch_limit(const Options& options) const = 0;

 protected:
  ~DeviceCalls() = default;
};

// Any number of threads may use one object.
class HostCalls {
 public:
  // The references must outlive this object. `memory` gives the blocks on the device.
  HostCalls(cl::Context context, cl::Device device, cl::CommandQueue queue, const Device& info,
            DeviceHealth& health, ScratchPool& memory, DeviceCalls& calls)
      : context_(std::move(context)),
        device_(std::move(device)),
        queue_(std::move(queue)),
        info_(info),
        health_(health),
        memory_(memory),
        calls_(calls) {}

  // Computes the GEMM. Returns when C is complete.
  void multiply(const HostGemm& host, const Options& options);

  // Does the same in parts, on copies in the device's own memory.
  void multiply_in_parts(const HostGemm& host, const Options& options);

  // Computes rounds of such parts; `next_round` returns them.
  void multiply_on_copies(const StreamedCall& call, const Options& options);

  // Returns whether it works on matrices in place, as a device does that shares the host's memory.
  bool works_in_place() const { return info_.shares_host_memory && !always_copies_; }

  // From now on, copies matrices as for a device with its own memory. It is for tests on other devices. Call
  // it before any GEMM.
  void always_copy() { always_copies_ = true; }

  // Returns the plan of a call in parts, with at most `device_bytes` on the device, and with `sharers`
  // devices that share the rounds.
  StreamPlan stream_plan(const Problem& problem, const Options& options, std::size_t device_bytes,
                         std::size_t sharers = 1) const;

  // Returns how many bytes a call may hold on the device.
  std::size_t device_memory_limit(const Options& options) const;

  // Returns whether the caller limits the memory of a call on the device.
  static bool has_limit(const Options& options);

  // Returns the device as GEMMs on host matrices see it. `options` must outlive the result.
  GemmDevice on_own_queue(const Options& options);

  // Describes the way of a call in words, one fact a line.
  std::string explain(const Problem& problem, const Options& options, std::size_t sharers = 1);

  // Returns the predicted seconds of a call, including copies. Builds nothing.
  double predicted_seconds(const Problem& problem, const Options& options);

 private:
  // Computes on the matrices in place. Returns false if that is not possible.
  bool multiply_in_place(const HostGemm& host, const Options& options);

  // Returns copies that no other call uses. They are given back when a call has succeeded.
  std::unique_ptr<HostCopies> take_copies();
  void give_back(std::unique_ptr<HostCopies> copies);

  cl::Context context_;
  cl::Device device_;
  cl::CommandQueue queue_;
  const Device& info_;
  DeviceHealth& health_;
  ScratchPool& memory_;
  DeviceCalls& calls_;

  bool always_copies_ = false;
  std::mutex copies_mutex_;
  std::unique_ptr<HostCopies> idle_copies_;
};

}  // namespace clgemm
