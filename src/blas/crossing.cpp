#include "blas/crossing.hpp"

#include <algorithm>
#include <cmath>

namespace clgemm::blas {
namespace {

// 64 cubed takes 5 us with an optimised BLAS, and 0.1 ms with the reference BLAS. A call of a device takes
// longer.
constexpr double least_multiplications = 64.0 * 64.0 * 64.0;

// No core of a CPU is faster in single precision: 150 GFLOP/s.
constexpr double fastest_core = 1.0 / 75e9;

// The reference BLAS reaches 2 to 6 GFLOP/s, an optimised BLAS 30 and more on each core.
constexpr double slow_cpu_blas = 1.0 / 4e9;

// The budget, as fractions of the time on the CPU BLAS alone, and of the saved time.
constexpr double share_of_background = 0.1;
constexpr double share_of_calls = 0.05;
constexpr double share_of_saved = 0.5;

// In seconds of SGEMM. A check is long enough for the threads of OpenBLAS, which spin for about 25 ms. Checks
// become rarer, because most of them change nothing.
constexpr double seconds_of_check = 0.25;
constexpr double longest_between_checks = 128.0;

// A program that uses more and more shapes must not fill the memory. There are few classes of shapes.
constexpr std::size_t most_classes = 4096;

}  // namespace

void Times::add(double seconds_per_multiplication) {
  last_[count_ % kept] = seconds_per_multiplication;
  ++count_;
}

double Times::least() const {
  return *std::min_element(last_.begin(), last_.end());
}

bool Crossing::is_large_enough(const Work& work) {
  return multiplications(work) >= least_multiplications;
}

Crossing::Key Crossing::key_of(const Work& work) {
  const Call& call = work.shape;
  const auto rough = [](auto size) { return std::ilogb(static_cast<double>(size)); };
  return {rough(call.m), rough(call.n), rough(call.k), rough(work.count), call.transpose_a, call.transpose_b};
}

const Crossing::Class* Crossing::find(const Work& work) const {
  const auto found = classes_.find(key_of(work));
  return found == classes_.end() ? nullptr : &found->second;
}

Crossing::Class& Crossing::class_of(const Work& work) {
  if (classes_.size() >= most_classes) classes_.clear();
  return classes_[key_of(work)];
}

double Crossing::cpu_seconds(const Work& work) const {
  const Class* const known = find(work);
  const bool is_known = known != nullptr && known->cpu.is_known();
  return multiplications(work) * (is_known ? known->cpu.least() : fastest_core / static_cast<double>(cores_));
}

bool Crossing::cpu_blas_is_slow() const {
  return best_cpu_ > slow_cpu_blas;
}

bool Crossing::may_pay(const Work& work, std::optional<double> expected) const {
  const Class* const known = find(work);
  if (known != nullptr && known->device.is_known())
    return known->device.least() * multiplications(work) < cpu_seconds(work);
  return !expected || *expected < cpu_seconds(work);
}

bool Crossing::is_devices_turn(const Work& work, double expected) {
  const Class& known = class_of(work);
  const bool pays = may_pay(work, expected);
  if (!known.device.is_known()) return pays && can_afford(Cost::calls, 0.0, work);
  begin_check_if_due();
  if (on_cpu_alone_ >= check_ends_) return pays;
  if (!check_is_of_device_) return false;
  const double slower = known.device.least() * multiplications(work) - cpu_seconds(work);
  return pays || can_afford(Cost::calls, slower, work);
}

void Crossing::begin_check_if_due() {
  if (on_cpu_alone_ < next_check_) return;
  check_is_of_device_ = !check_is_of_device_;
  check_ends_ = on_cpu_alone_ + seconds_of_check;
  next_check_ = check_ends_ + between_checks_;
  between_checks_ = std::min(1.5 * between_checks_, longest_between_checks);
}

void Crossing::learn_cpu(const Work& work, double seconds) {
  const double rate = seconds / multiplications(work);
  Class& known = class_of(work);
  known.cpu.add(rate);
  known.on_cpu += seconds;
  best_cpu_ = std::min(best_cpu_, rate);
  on_cpu_alone_ += seconds;
}

void Crossing::learn_device(const Work& work, double seconds) {
  const double on_cpu = cpu_seconds(work);
  class_of(work).device.add(seconds / multiplications(work));
  on_cpu_alone_ += on_cpu;
  saved_ += std::max(on_cpu - seconds, 0.0);
  spend(Cost::calls, std::max(seconds - on_cpu, 0.0));
}

double Crossing::paid_by_program(double background_seconds) const {
  // A BLAS with many threads waits for the slowest, so it loses more than one core's share. With 16 threads
  // OpenBLAS took 10 % longer while a compiler was running.
  return background_seconds * std::min(2.0 / static_cast<double>(cores_), 1.0);
}

bool Crossing::have_taken(double seconds, const Work& present) const {
  const Class* const known = find(present);
  return (known == nullptr ? 0.0 : known->on_cpu) + cpu_seconds(present) >= seconds;
}

void Crossing::spend(Cost cost, double seconds) {
  (cost == Cost::background ? spent_on_background_ : spent_on_calls_) += seconds;
}

bool Crossing::can_afford(Cost cost, double seconds, const Work& present) const {
  const bool is_background = cost == Cost::background;
  const double share = is_background ? share_of_background : share_of_calls;
  const double spent = is_background ? spent_on_background_ : spent_on_calls_;
  return spent + seconds <= share * (on_cpu_alone_ + cpu_seconds(present)) + share_of_saved * saved_;
}

}  // namespace clgemm::blas
