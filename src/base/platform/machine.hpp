// The machine and its processors.
#pragma once

#include <optional>
#include <string>

namespace clgemm {

// Seconds, added up over all processors.
struct ProcessorTimes {
  double all = 0.0;   // since the system's start
  double busy = 0.0;  // the busy part of them
};

// Returns nullopt if the system does not report it.
std::optional<ProcessorTimes> processor_times();

// Returns the processor seconds that this process used, and the child processes that it waited for. (On
// Windows without the children.)
double processor_seconds_of_ours();

// Returns the processor time that this process alone used, by a finer clock.
double processor_milliseconds();

// Returns the name that the maker gave the processor; empty if the system does not report it.
std::string processor_name();

// Returns the highest present clock of its cores; 0 if the system does not report it.
double processor_mhz();

}  // namespace clgemm
