// CLGEMM_BLAS_LOG=summary: at the end of the process, how many calls went where, on stderr.
#pragma once

#include <cstddef>
#include <string>

namespace clgemm::blas {

// What is known of a call on a device: what it took, and what of this the model gives to the multiply.
struct DeviceTimes {
  double seconds = 0.0;
  double multiply_seconds = 0.0;
};

// What stands in the summary beside the counts.
struct Surroundings {
  std::string device;            // its name; empty if none was opened
  std::string why_no_device;     // if none was opened
  bool copies_matrices = false;  // to the device and back
  std::string cpu_blas;          // its file; empty if there is none
};

// False if nobody asked. Calls then need no clock.
bool summary_is_wanted();

// A call, or a batch with this number of GEMMs.
void count_device_call(const DeviceTimes& times, std::size_t multiplies);
void count_cpu_call(double seconds);

// The device was opened, or something was compiled: apart from the calls, or before one.
void count_preparation(double seconds);

// A call that a device began and the CPU finished. The first reason is said.
void count_device_failure(const std::string& why);

// From now on the summary says if there was no call. In processes that this one starts it does not: they may
// be compilers and the like, which nobody expects to call SGEMM.
void expect_calls();

// True once a call was counted.
bool has_calls();

// Counts from zero.
void forget_calls();

// Has children of fork() count from zero, whatever other threads count while this one forks.
void count_anew_in_children();

// The lines of the summary.
std::string summary(const Surroundings& surroundings);

}  // namespace clgemm::blas
