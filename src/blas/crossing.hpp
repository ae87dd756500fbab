// Which calls are worth a device. This is learned from the times that the program's own calls take on the CPU
// BLAS and on the device, and forgotten at the end of the process. A budget bounds what the learning costs:
// opening the device, compiling, and calls that turn out to be slower on the device.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>

#include "blas/call.hpp"

namespace clgemm::blas {

// The last times of similar calls.
class Times {
 public:
  void add(double seconds_per_multiplication);

  // True after a few calls. The first ones are slow for reasons of their own: threads start, memory is new.
  bool is_known() const { return count_ >= kept; }

  // The least of the last times: a busy machine makes calls slower and never faster.
  double least() const;

 private:
  static constexpr std::size_t kept = 3;
  std::array<double, kept> last_{};
  std::size_t count_ = 0;
};

// For one thread at a time.
class Crossing {
 public:
  explicit Crossing(std::size_t cores) : cores_(cores) {}

  // Smaller calls always stay with the CPU BLAS, and are not timed.
  static bool is_large_enough(const Work& work);

  // The time on the CPU BLAS; a lower bound if it is not known yet.
  double cpu_seconds(const Work& work) const;

  // True if the best rate that was seen is far below that of any optimised BLAS.
  bool cpu_blas_is_slow() const;

  // True if the device is expected to be faster. `expected` is the expectation before any such call was timed
  // on the device; without it the answer is yes.
  bool may_pay(const Work& work, std::optional<double> expected) const;

  // Decides where the next call goes. Now and then all calls go to one side for a while, to the device and to
  // the CPU BLAS in turns, so that a wrong time is corrected. It is all of them because the threads of a BLAS
  // go on spinning after a call, and slow down what comes next on the device.
  bool is_devices_turn(const Work& work, double expected);

  void learn_cpu(const Work& work, double seconds);
  void learn_device(const Work& work, double seconds);

  // True if the calls of this rough shape have taken so long on the CPU BLAS, the present one included.
  bool have_taken(double seconds, const Work& present) const;

  // What the drop-in costs the program: the background, which opens the device and compiles; and calls that
  // wait for it, or are slower on the device.
  enum class Cost { background, calls };
  void spend(Cost cost, double seconds);

  // The part of the background's seconds that the program pays: its thread takes a core from the CPU BLAS.
  double paid_by_program(double background_seconds) const;

  // True if the budget allows so many seconds more. The background may take a tenth of the time that the
  // calls take on the CPU BLAS alone, the present call included, and other costs a twentieth. Half of what
  // the device has saved may be spent again.
  bool can_afford(Cost cost, double seconds, const Work& present) const;

 private:
  struct Class {
    Times cpu;
    Times device;
    double on_cpu = 0.0;  // seconds
  };
  using Key = std::array<int, 6>;
  static Key key_of(const Work& work);
  const Class* find(const Work& work) const;
  Class& class_of(const Work& work);
  void begin_check_if_due();

  static constexpr double shortest_between_checks = 2.0;

  std::size_t cores_;
  std::map<Key, Class> classes_;
  double best_cpu_ = 1.0;      // seconds per multiplication
  double on_cpu_alone_ = 0.0;  // what the calls so far take on the CPU BLAS
  double saved_ = 0.0;

  // The clock of the checks is on_cpu_alone_.
  bool check_is_of_device_ = false;
  double check_ends_ = 0.0;
  double next_check_ = 0.0;
  double between_checks_ = shortest_between_checks;
  double spent_on_background_ = 0.0;
  double spent_on_calls_ = 0.0;
};

}  // namespace clgemm::blas
