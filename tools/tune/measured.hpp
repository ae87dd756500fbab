// What one measurement says of a config, and how carefully it was made.
#pragma once

#include <compare>
#include <string>

#include "common/size.hpp"
#include "tune/space.hpp"

namespace clgemm::tune {

// One run says whether a config is worth more; five rank the good ones; fifteen decide, twice, so that what
// else the machine does strikes all finalists alike.
enum class Care { quick = 1, calibrated = 3, ranked = 5, decided = 15, decided_again = 16 };

struct Trial {
  bench::Size size;
  Config config;
  Care care = Care::quick;
  std::size_t batch = 1;  // matrices of the size
};

struct Outcome {
  double ms = 0.0;       // median; only where nothing failed
  std::string failure;   // why it cannot win: does not build, wrong result, crash, time limit
  double spent_s = 0.0;  // by the clock, all told

  bool is_right() const { return failure.empty(); }

  // The device showed only after the build that it cannot run it: no fault of the kernel's.
  bool is_refused() const { return failure.starts_with(refusal); }
  static constexpr const char* refusal = "refused: ";

  // It was not done within the time limit. Most often its compiler was not, so that nothing is known of it.
  bool is_late() const { return failure.starts_with(lateness); }
  static constexpr const char* lateness = "no result within ";

  // It ended the device's OpenCL context, so that whoever ran it can run nothing more.
  bool has_lost_device() const { return failure.starts_with(loss); }
  static constexpr const char* loss = "device lost: ";
};

}  // namespace clgemm::tune
