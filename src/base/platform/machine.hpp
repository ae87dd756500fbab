// The machine and its processors.
#pragma once

#include <optional>
#include <string>

namespace clgemm {

// Seconds of all processors together.
struct ProcessorTimes {
  double all = 0.0;   // since the system's start
  double busy = 0.0;  // of them
};

// Returns nullopt if the system does not say.
std::optional<ProcessorTimes> processor_times();

// The seconds of processors that this process took, and those that it started and waited for. (On Windows
// without the latter.)
double processor_seconds_of_ours();

// The time of processors that this process alone took, by a finer clock.
double processor_milliseconds();

// The name that the maker gave the processor; empty if the system does not say.
std::string processor_name();

// The highest clock of its cores at this moment; 0 if the system does not say.
double processor_mhz();

}  // namespace clgemm
