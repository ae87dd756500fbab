// Whether this machine had other work while something was measured.
#pragma once

#include <optional>

namespace clgemm::bench {

// What a desktop takes of its cores.
inline constexpr double quiet_part = 0.05;

class MachineLoad {
 public:
  // From here on.
  MachineLoad();

  // The part of all cores' time that other programs took since then; nothing where the system does not tell.
  std::optional<double> part_of_others() const;

 private:
  // In seconds, of all cores together.
  struct Times {
    double busy = 0.0;
    double all = 0.0;
    double own = 0.0;  // of this process and of those that it has started and waited for
  };
  static std::optional<Times> now();

  std::optional<Times> start_;
};

}  // namespace clgemm::bench
