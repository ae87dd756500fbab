// Tells if this machine had other work while something was measured.
#pragma once

#include <optional>

namespace clgemm::bench {

// The part of its cores that a desktop uses.
inline constexpr double quiet_part = 0.05;

class MachineLoad {
 public:
  // Measures from here on.
  MachineLoad();

  // Returns the part of all cores' time that other programs have used since then, or nothing if the system
  // does not report it.
  std::optional<double> part_of_others() const;

 private:
  // In seconds, for all cores together.
  struct Times {
    double busy = 0.0;
    double all = 0.0;
    double own = 0.0;  // of this process, and of the child processes that it has waited for
  };
  static std::optional<Times> now();

  std::optional<Times> start_;
};

}  // namespace clgemm::bench
