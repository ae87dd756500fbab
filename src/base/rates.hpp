// The one record of the rates of a device, its link to the host, and the host's memory. All code that depends
// on these rates uses it: to choose configs, to cut host matrices into parts, to divide them among devices,
// and to decide whether a call is worth the device. clgemm-tune --calibrate measures the rates, and tuning
// data keeps them. On other devices a probe measures what it can at first use (src/probe).
#pragma once

#include <algorithm>
#include <limits>

namespace clgemm {

// The rates at which host matrices go to a device with its own memory and come back, in bytes per second. The
// defaults were measured on an H200 and its host (PCIe 5.0; November 2026).
struct HostRates {
  double to_device = 50e9;  // over the link, from pinned memory
  double from_device = 50e9;

  // From and to the caller's memory through pinned chunks, in each direction while both are in use. The
  // host's memory is the limit: each element passes it three times, at 145 GB/s.
  double streamed = 36e9;

  double copied = 9e9;  // by one thread of the host

  // The least time of a call on host matrices. It is on the fast side: through the drop-in it was 1.1 ms on
  // that H200.
  double call_seconds = 1e-4;

  bool operator==(const HostRates&) const = default;

  // Return the rate at which A and B go to the device, and at which C comes back.
  double in(bool is_pinned) const { return is_pinned ? to_device : std::min(to_device, streamed); }
  double out(bool is_pinned) const { return is_pinned ? from_device : std::min(from_device, streamed); }
};

// The rates of a device. The defaults are guesses for devices without measurements.
struct Rates {
  double call_seconds = 20e-6;   // host time of a call with one launch
  double launch_seconds = 5e-6;  // host time of each further launch
  double start_seconds = 2e-6;   // device time of each launch
  double bytes = 1e10;           // bytes of operands per second, from and to memory
  double packing_bytes = 1e10;   // bytes per second that packing reads and writes
  double adding_bytes = 1e10;    // bytes per second that adding up slices reads and writes
  double unhidden =
      0.01;  // part of the shorter of computing and moving operands that the longer one does not hide
  double repeated = 1.0;      // part of a work-group's begin that each further turn needs, too
  double pass_seconds = 0.0;  // device time of each pass over memory, in addition to its bytes and its launch
  double uneven = 0.0;  // how unevenly compute units share the last turn if it is not full; 1 means that
                        // some take all that they can hold
  // The bytes of A and B that its cache keeps from one work-group to another. Larger operands come from
  // memory.
  double cached_bytes = std::numeric_limits<double>::infinity();
  double multiply_adds = 0.0;  // fp32 multiply-adds per second of the device at its best; 0 if unknown
  HostRates host = {};
};

}  // namespace clgemm
