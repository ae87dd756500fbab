// CLGEMM_BLAS_LOG=summary: prints on stderr, at the end of the process, how many calls went where.
#pragma once

#include <cstddef>
#include <string>

namespace clgemm::blas {

// The times of a call on a device: the whole call, and the part that the model gives to the GEMM.
struct DeviceTimes {
  double seconds = 0.0;
  double gemm_seconds = 0.0;
};

// The facts in the summary besides the counts.
struct Surroundings {
  std::string device;            // its name; empty if none was opened
  std::string why_no_device;     // if none was opened
  bool copies_matrices = false;  // to the device and back
  std::string cpu_blas;          // its file; empty if there is none
};

// Returns false if no summary was asked for. Calls then need no clock.
bool summary_is_wanted();

// A call, or a batch with this number of GEMMs.
void count_device_call(const DeviceTimes& times, std::size_t gemms);
void count_cpu_call(double seconds);

// Counts the opening of the device, or a compilation, outside of calls or before one.
void count_preparation(double seconds);

// Counts a call that a device began and the CPU finished. The summary gives the first reason.
void count_device_failure(const std::string& why);

// From now on the summary says if there was no call. It does not do so in processes that this one starts,
// because they may be compilers and the like, which are not expected to call SGEMM.
void expect_calls();

// Returns true if a call was counted.
bool has_calls();

// Counts from zero again.
void forget_calls();

// Makes children of fork() count from zero, whatever other threads count during the fork.
void count_anew_in_children();

// Returns the lines of the summary.
std::string summary(const Surroundings& surroundings);

}  // namespace clgemm::blas
