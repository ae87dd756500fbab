// Computes on host matrices in place, with a device that shares the host's memory.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/opencl.hpp"
#include "call/gemm.hpp"
#include "launch/kernel_launch.hpp"

namespace clgemm {

// A call that has been enqueued.
struct Enqueued {
  Events done;      // one event, which completes when C is complete; none if the sequence is not observed
  Events commands;  // all commands of the call that have events
};

// The things that a GEMM on host matrices needs from the object that keeps the device.
struct GemmDevice {
  using Enqueue = std::function<Enqueued(const DeviceGemm& gemm, const Events& wait_for)>;

  const Device& info;
  cl::Context context;
  cl::CommandQueue queue;  // on which `enqueue` enqueues
  Enqueue enqueue;         // each of its commands has an event
};

// Returns the problem for matrices that are used in the caller's memory, which malloc() aligns.
Problem in_host_memory(Problem problem);

// Returns the parts that a device computes one after the other if its largest allocation has this many bytes.
// Each part has whole lines of the stored matrices. Empty if a single line is too long.
std::vector<HostGemm> parts_in_place(const HostGemm& host, std::size_t max_allocation);

// Returns when C is complete. If it throws, the device no longer uses the caller's memory, unless the error
// is MatricesInUse.
void multiply_in_host_memory(const GemmDevice& device, const HostGemm& host);

}  // namespace clgemm
