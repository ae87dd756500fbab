// Facts of a device that OpenCL does not report: the multiply-adds of a core, the speed of its memory, and
// the capacity of its registers. They come from data sheets, by vendor and architecture.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/device.hpp"
#include "base/rates.hpp"

namespace clgemm {

// A core runs a work-group and owns local memory.
struct DeviceFacts {
  std::string_view family;
  double units_per_core = 1.0;         // compute units that OpenCL reports for each core
  double multiply_adds = 64.0;         // fp32 multiply-adds of a core per clock
  double bytes = 6.0;                  // bytes of the device's memory per core and clock
  std::size_t sub_group = 32;          // work-items that run in lock-step
  std::size_t most_results = 64;       // floats of `results` (kernels/README.md) that registers hold
  std::size_t usual_mhz = 1000;        // if the device reports no clock, or one below 100 MHz
  bool has_large_registers = false;    // Intel: a thread has twice as many if the compiler is told so
  std::size_t required_sub_group = 0;  // Intel: required, because the compiler's own choice spills
  bool is_guess = false;               // the family has devices of several kinds, or is unknown
  double matrix_multiply_adds = 0.0;   // fp32 multiply-adds of a core's matrix units in a clock; 0: none
  double local_cache_bytes = 0.0;      // bytes per clock between a core and the cache that holds local
                                       // memory; 0 if each core has local memory of its own
  double half_multiply_adds = 0.0;     // 16-bit multiply-adds with fp32 sums of a core's matrix units in a
                                       // clock; 0: none, or unknown. With TF32 numbers, half as many
  std::size_t matrix_sub_group = 0;    // Intel: the work-items that share a matrix instruction
};

// Returns the facts of the device's family. For a device of an unknown family, the values are low for its
// kind.
DeviceFacts facts_of(const Device& device);

// The peaks that follow from the facts and from the device's own report.
struct DevicePeaks {
  std::size_t cores = 1;
  double multiply_adds = 0.0;      // fp32 multiply-adds of one core in a second
  double bytes = 0.0;              // of memory in a second, all cores together
  double local_cache_bytes = 0.0;  // of one core in a second; 0: it has local memory of its own

  double of_device() const { return multiply_adds * static_cast<double>(cores); }
};
DevicePeaks peaks_of(const Device& device);

// The figures that small kernels have measured on a device (src/probe). They are close to its peaks: on an
// H200 (22 November 2026), 0.98 of its multiply-adds and 0.86 of its bandwidth.
struct Probed {
  double multiply_adds = 0.0;          // fp32, of the whole device per second
  double bytes = 0.0;                  // read from its memory per second
  std::optional<HostRates> host = {};  // set if the device has its own memory
};

// Returns the probe's figures instead of the facts', within limits. If the family is known, no core does more
// than its data sheet says, and memory is between half and twice as fast as that of the family's largest
// product.
DevicePeaks peaks_of(const Device& device, const Probed& probed);

// Returns false if something else may have kept the device busy, because it reached less than half of its
// family's speed.
bool is_plausible(const Probed& probed, const Device& device);

}  // namespace clgemm
