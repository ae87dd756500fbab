// Decides which calls are worth a device. It learns this from the times of the program's own calls on the CPU
// BLAS and on the device, and forgets it at the end of the process. A budget limits the cost of learning:
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

  // Returns true after a few calls. The first ones are slow for other reasons: threads start, and memory is
  // new.
  bool is_known() const { return count_ >= kept; }

  // Returns the least of the last times, because a busy machine makes calls slower and never faster.
  double least() const;

 private:
  static constexpr std::size_t kept = 3;
  std::array<double, kept> last_{};
  std::size_t count_ = 0;
};

// Only one thread at a time may use it.
class Crossing {
 public:
  explicit Crossing(std::size_t cores) : cores_(cores) {}

  // Smaller calls always stay with the CPU BLAS, and are not timed.
  static bool is_large_enough(const Work& work);

  // Returns the time on the CPU BLAS, or a lower bound if it is not known yet.
  double cpu_seconds(const Work& work) const;

  // Returns true if the best measured rate is far below that of any optimised BLAS.
  bool cpu_blas_is_slow() const;

  // Returns true if the device is expected to be faster. `expected` is the expected time before any such call
  // was timed on the device. Without it the answer is yes.
  bool may_pay(const Work& work, std::optional<double> expected) const;

  // Decides whether the next call goes to the device. Now and then all calls go to one side for a while,
  // alternately to the device and to the CPU BLAS, so that a wrong time is corrected. All calls go there
  // because the threads of a BLAS spin after a call and slow down the next work of the device.
  bool is_devices_turn(const Work& work, double expected);

  void learn_cpu(const Work& work, double seconds);
  void learn_device(const Work& work, double seconds);

  // Returns true if the calls of this rough shape have taken so long on the CPU BLAS, including the present
  // call.
  bool have_taken(double seconds, const Work& present) const;

  // The costs of the drop-in for the program: the background, which opens the device and compiles, and calls
  // that wait for it or are slower on the device.
  enum class Cost { background, calls };
  void spend(Cost cost, double seconds);

  // Returns the part of the background's seconds that the program pays, because its thread takes a core from
  // the CPU BLAS.
  double paid_by_program(double background_seconds) const;

  // Returns true if the budget allows so many more seconds. The background may take a tenth of the time that
  // the calls take on the CPU BLAS alone, including the present call, and other costs a twentieth. Half of
  // the time that the device has saved may be spent again.
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
  double on_cpu_alone_ = 0.0;  // time of the calls so far on the CPU BLAS
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
