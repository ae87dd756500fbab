// CLGEMM_BLAS_LOG=summary: at the end of the process, how many calls went where, on stderr.
#pragma once

#include <string>

namespace clgemm::blas {

// What is known of a call on a device: what it took, and what of this the model gives to the multiply.
struct DeviceTimes {
  double seconds = 0.0;
  double multiply_seconds = 0.0;
};

// False where nobody asked; calls then need no clock.
bool summary_is_wanted();

void count_device_call(const DeviceTimes& times);
void count_cpu_call(double seconds);

// So many multiplies of a batch in one launch: one call.
void count_batch(const DeviceTimes& times, std::size_t multiplies);

// A call that a device began and the CPU finished. The first reason is said.
void count_device_failure(const std::string& why);

// Counts from zero.
void forget_calls();

// Has children of fork() count from zero, whatever other threads count while this one forks.
void count_anew_in_children();

// The lines of the summary; empty where there was no call.
std::string summary(const std::string& device, const std::string& cpu_blas);

}  // namespace clgemm::blas
