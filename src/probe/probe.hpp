// The probe at first use: how many multiply-adds a device does in a second and how much it reads of its
// memory, by two small kernels, and how fast its link to the host is. Other devices' rows are then scaled by
// this, not by data sheets. The probe runs before the first choice on a device without its own rows. Its
// result is in the cache, where later processes find it.
#pragma once

#include <optional>
#include <string>

#include "base/device.hpp"
#include "base/device_facts.hpp"
#include "base/opencl.hpp"

namespace clgemm {

// The figures, and whether they are reliable. Runs that disagree, or a device that is far slower than its
// family, may have been disturbed.
struct Measurement {
  Probed probed;
  bool is_sure = false;
};

// Measures on a queue of its own, for about 0.06 seconds with each kernel, after compiling. Throws OpenCL's
// errors, and Error(internal_error) for impossible times.
Measurement measure_device(const cl::Context& context, const cl::Device& device, const Device& info);

// Returns the figures that the cache has for this device and driver, or else measures them. The cache keeps
// them if they are reliable. Returns nullopt if CLGEMM_PROBE=0 turns it off or anything fails. A failure is
// not the caller's error; it is logged.
std::optional<Probed> probe(const cl::Context& context, const cl::Device& device, const Device& info);

// Returns "481 GFLOP/s, 68.5 GB/s", and for a device with its own memory also ", link 50 GB/s in and 50 out".
std::string to_string(const Probed& probed);

}  // namespace clgemm
