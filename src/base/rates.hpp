// The one record of how fast a device is, its link to the host, and the host's memory: what chooses configs,
// cuts host matrices into parts, divides them among devices, and decides whether a call is worth the device
// asks it. clgemm-tune --calibrate measures it and tuning data keeps it; of other devices a probe measures
// what it can at first use (src/probe).
#pragma once

#include <algorithm>

namespace clgemm {

// What host matrices meet on their way to a device with memory of its own and back; bytes in a second. The
// defaults were measured on an H200 and its host (PCIe 5.0; November 2026).
struct HostRates {
  double to_device = 50e9;  // over the link, from pinned memory
  double from_device = 50e9;

  // From and to the caller's memory, each way, through pinned chunks, while both ways are in use: the host's
  // memory, which each element passes three times, is the limit there, at 145 GB/s.
  double streamed = 36e9;

  double copied = 9e9;  // by one thread of the host

  // Of a call on host matrices, however little there is to do. On the fast side: through the drop-in it was
  // 1.1 ms on that H200.
  double call_seconds = 1e-4;

  bool operator==(const HostRates&) const = default;

  // How fast A and B go to the device, and C comes back.
  double in(bool is_pinned) const { return is_pinned ? to_device : std::min(to_device, streamed); }
  double out(bool is_pinned) const { return is_pinned ? from_device : std::min(from_device, streamed); }
};

// Guesses, where nothing was measured.
struct Rates {
  double call_seconds = 20e-6;   // of the host, for a call of one launch, however little there is to do
  double launch_seconds = 5e-6;  // of the host, for each further launch
  double start_seconds = 2e-6;   // of the device, for each launch
  double bytes = 1e10;           // of operands from and to memory, a second
  double packing_bytes = 1e10;   // read and written while operands are packed, a second
  double adding_bytes = 1e10;    // read and written while parts of k are added up, a second
  double unhidden = 0.01;  // part of the lesser of computing and moving operands that the other does not hide
  double repeated = 1.0;   // part of a work-group's begin that each further turn takes, too
  double pass_seconds = 0.0;  // of the device, for each pass over memory, beside its bytes, and beside its
                              // launch where it has one
  double uneven = 0.0;  // how unevenly compute units share a last turn that is not full: 1 where some take
                        // all that they can hold
  double multiply_adds = 0.0;  // of the device at its best, a second; 0: not known
  HostRates host = {};
};

}  // namespace clgemm
