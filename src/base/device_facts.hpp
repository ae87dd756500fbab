// What OpenCL does not say of a device: how many multiply-adds a core does, how fast its memory is, and how
// much its registers hold. By vendor and architecture, from data sheets.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/device.hpp"
#include "base/rates.hpp"

namespace clgemm {

// A core is what runs a work-group and owns local memory.
struct DeviceFacts {
  std::string_view family;
  double units_per_core = 1.0;         // compute units that OpenCL reports for each core
  double multiply_adds = 64.0;         // fp32 multiply-adds of a core in a clock
  double bytes = 6.0;                  // of the device's memory, for each core and clock
  std::size_t sub_group = 32;          // work-items that run in lock-step
  std::size_t most_results = 64;       // floats of `results` (kernels/README.md) that registers hold
  std::size_t usual_mhz = 1000;        // where the device reports no clock, or one below 100 MHz
  bool has_large_registers = false;    // Intel: a thread has twice as many if the compiler is asked
  std::size_t required_sub_group = 0;  // Intel: to be asked for, as the compiler's own choice spills
  bool is_guess = false;               // the family has devices of several kinds, or is not known
  double matrix_multiply_adds = 0.0;   // fp32 multiply-adds of a core's matrix units in a clock; 0: none
  double local_cache_bytes = 0.0;      // bytes per clock between a core and the cache that holds local
                                       // memory; 0 if each core has local memory of its own
};

// Those of the family that the device belongs to. A device of no known family has values that are low for a
// device of its kind.
DeviceFacts facts_of(const Device& device);

// What follows from the facts and from what the device reports.
struct DevicePeaks {
  std::size_t cores = 1;
  double multiply_adds = 0.0;      // fp32 multiply-adds of one core in a second
  double bytes = 0.0;              // of memory in a second, all cores together
  double local_cache_bytes = 0.0;  // of one core in a second; 0: it has local memory of its own

  double of_device() const { return multiply_adds * static_cast<double>(cores); }
};
DevicePeaks peaks_of(const Device& device);

// What small kernels have measured of a device (src/probe). They come near to its peaks: on an H200 (22
// November 2026) to 0.98 of its multiply-adds and 0.86 of its bandwidth.
struct Probed {
  double multiply_adds = 0.0;          // fp32, of the whole device per second
  double bytes = 0.0;                  // read from its memory per second
  std::optional<HostRates> host = {};  // set if the device has its own memory
};

// The probe's figures in place of the facts', as far as the facts allow: if the family is known, no core does
// more than its data sheet says, and memory is at most twice and at least half as fast as that of its largest
// product.
DevicePeaks peaks_of(const Device& device, const Probed& probed);

// False if something else may have kept the device busy: it did less than half of what its family does.
bool is_plausible(const Probed& probed, const Device& device);

}  // namespace clgemm
