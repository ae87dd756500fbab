// The result of one measurement of a config, and its care.
#pragma once

#include <compare>
#include <string>

#include "common/size.hpp"
#include "tune/searching/space.hpp"

namespace clgemm::tune {

// One run shows if a config is worth more runs. Five rank the good ones. Fifteen decide, twice, so that other
// work on the machine affects all finalists equally.
enum class Care { quick = 1, calibrated = 3, ranked = 5, decided = 15, decided_again = 16 };

struct Trial {
  bench::Size size;
  Config config;
  Care care = Care::quick;
  std::size_t batch = 1;  // GEMMs of the size
  std::string transposes = "nn";
};

struct Outcome {
  double ms = 0.0;       // median; only if nothing failed
  std::string failure;   // the reason why it cannot win: does not build, wrong result, crash, time limit
  double spent_s = 0.0;  // by the clock, with everything

  bool is_right() const { return failure.empty(); }

  // Returns true if the build showed that the device cannot run it, which is not a fault of the kernel.
  bool is_refused() const { return failure.starts_with(refusal); }
  static constexpr const char* refusal = "refused: ";

  // Returns true if it did not finish within the time limit. Usually the compiler did not, so nothing is
  // known about the config.
  bool is_late() const { return failure.starts_with(lateness); }
  static constexpr const char* lateness = "there was no result within ";

  // Returns true if it ended the device's OpenCL context, so that its process cannot run anything more.
  bool has_lost_device() const { return failure.starts_with(loss); }
  static constexpr const char* loss = "device lost: ";
};

}  // namespace clgemm::tune
