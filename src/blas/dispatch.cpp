#include "blas/dispatch.hpp"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/environment.hpp"
#include "base/forked.hpp"
#include "base/log.hpp"
#include "blas/cpu_blas.hpp"
#include "blas/crossing.hpp"
#include "blas/device.hpp"
#include "blas/summary.hpp"

namespace clgemm::blas {
namespace {

// A program that multiplies little should not wait for drivers to load: so many multiplications go to the CPU
// BLAS first, in one call or many. 512 cubed are some milliseconds of a tuned BLAS on two cores.
constexpr double multiplications_before_a_device = 512.0 * 512.0 * 512.0;

// After so many failures in a row the device is left alone: each may cost a compilation.
constexpr int most_failures = 3;

bool is_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0' && value >= 0.0;
}

// Of the variables whose names begin with CLGEMM_BLAS_, one that asks for a summary is looked at with it.
void log_variables() {
  log_bad_values({{"CLGEMM_BLAS_CROSSING", is_number, "a number of multiplications, or 0"},
                  {"CLGEMM_BLAS_BLOCK", is_count, "a whole number from 1 on"}});
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What a device may spoil before it fails. With beta == 0 nothing of C is needed again.
class SavedC {
 public:
  explicit SavedC(const Call& call) : call_(call) {
    if (call.beta == 0.0f) return;
    elements_.reset(new float[static_cast<std::size_t>(call.m) * static_cast<std::size_t>(call.n)]);
    copy([](float* saved, float* c, std::size_t bytes) { std::memcpy(saved, c, bytes); });
  }

  void restore() {
    if (elements_) copy([](float* saved, float* c, std::size_t bytes) { std::memcpy(c, saved, bytes); });
  }

 private:
  template <class Copy>
  void copy(Copy&& copy_column) {
    for (std::int64_t column = 0; column < call_.n; ++column) {
      copy_column(elements_.get() + column * call_.m, call_.c + column * call_.ldc,
                  static_cast<std::size_t>(call_.m) * sizeof(float));
    }
  }

  const Call& call_;
  std::unique_ptr<float[]> elements_;
};

// The last decisions of a thread, for programs repeat their shapes.
class Decisions {
 public:
  template <class Decide>
  bool get(const Call& call, Decide&& decide) {
    const Key key{call.m, call.n, call.k,
                  (call.transpose_a ? 1 : 0) + (call.transpose_b ? 2 : 0) + (call.beta == 0.0f ? 4 : 0)};
    Entry& entry = entries_[static_cast<std::size_t>(key[0] * 31 + key[1] * 7 + key[2]) % entries_.size()];
    if (entry.key != key) entry = {key, decide()};
    return entry.on_device;
  }

 private:
  using Key = std::array<std::int64_t, 4>;
  struct Entry {
    Key key{-1, -1, -1, -1};
    bool on_device = false;
  };
  std::array<Entry, 64> entries_;
};

// All that a measurement of the CPU BLAS depends on.
std::string description_of(const CpuBlas& cpu) {
  struct stat file {};
  ::stat(cpu.path().c_str(), &file);
  cpu_set_t cpus;
  const int cores = ::sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 0;
  std::string text = cpu.path() + ", " + std::to_string(file.st_size) + " bytes, " +
                     std::to_string(file.st_mtime) + ", " + std::to_string(cores) + " cores";
  for (const char* variable : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE",
                               "BLIS_NUM_THREADS", "MKL_NUM_THREADS"}) {
    text += ", " + environment(variable);
  }
  return text;
}

class Dispatcher {
 public:
  void multiply(const Call& call) {
    // The CPU BLAS has called us: it is none.
    if (inside_cpu_blas) return on_device(call) ? void() : multiply_in_plain_loop(call);
    if (wants_device(call) && on_device(call)) return;
    on_cpu(call);
  }

  void end_of_process() noexcept {
    try {
      if (is_forked_child() && !summary_is_wanted()) return;
      if (summary_is_wanted()) {
        const std::string text =
            summary(state_ == State::ready ? device_->name() : "no device", cpu_blas().path());
        std::fwrite(text.data(), 1, text.size(), stderr);
      }
      if (!is_forked_child() && state_ == State::ready) device_->close();
    } catch (const std::exception&) {
      return;  // the process ends
    }
  }

 private:
  enum class State { unopened, ready, unusable };

  bool wants_device(const Call& call) {
    if (state_ == State::unusable || call.k == 0 || call.alpha == 0.0f) return false;
    if (fixed_crossing_) return multiplications(call) >= *fixed_crossing_;
    if (!cpu_blas()) return true;
    if (state_ == State::unopened) {
      // Not one sum that all threads add to at once: what is lost between them does not matter.
      const double so_far = multiplied_.load(std::memory_order_relaxed) + multiplications(call);
      multiplied_.store(so_far, std::memory_order_relaxed);
      if (so_far < multiplications_before_a_device || !open()) return false;
    }
    static thread_local Decisions decisions;
    return decisions.get(call, [&] { return is_worth_it(call); });
  }

  bool is_worth_it(const Call& call) {
    try {
      if (is_forked_child()) return false;
      return pays(speeds_, call, [this](const Call& one) { return device_->predicted_seconds(one); });
    } catch (const std::exception& failure) {
      note(failure.what());
      return false;
    }
  }

  // True where the device is ready. The first call opens it, and measures where nobody has.
  bool open() {
    if (is_forked_child()) return false;
    if (state_ == State::unopened) {
      claim_process();
      const std::lock_guard lock(opening_);
      if (state_ == State::unopened) state_ = open_and_measure() ? State::ready : State::unusable;
    }
    return state_ == State::ready;
  }

  bool open_and_measure() {
    try {
      device_ = std::make_unique<Device>();
      if (fixed_crossing_ || !cpu_blas()) return true;
      const InsideCpuBlas guard;
      const Contestants contestants{[](const Call& call) { cpu_blas().multiply(call); },
                                    [this](const Call& call) { device_->multiply(call); },
                                    [this](const Call& call) { return device_->predicted_seconds(call); }};
      speeds_ = kept_or_measured(description_of(cpu_blas()) + "; " + device_->name(), contestants);
      return true;
    } catch (const std::exception& failure) {
      note(failure.what());
      return false;
    }
  }

  // False where C is as it was, for the CPU to do.
  bool on_device(const Call& call) {
    try {
      if (!open()) return false;
      SavedC saved(call);
      try {
        const auto start = std::chrono::steady_clock::now();
        device_->multiply(call);
        failures_ = 0;
        if (summary_is_wanted()) count_device_call({seconds_since(start), device_->predicted_seconds(call)});
        return true;
      } catch (const Error& error) {
        saved.restore();
        // What the BLAS does not refuse, matrices that overlap: the CPU BLAS does with them what it does.
        if (error.argument() == Argument::none) note_failure(error);
      }
    } catch (const std::exception& failure) {
      note(failure.what());
    }
    return false;
  }

  void on_cpu(const Call& call) {
    const CpuBlas& cpu = cpu_blas();
    if (!cpu || !cpu.can_take(call)) {
      if (state_ == State::unusable || !on_device(call)) multiply_in_plain_loop(call);
      return;
    }
    const InsideCpuBlas guard;
    if (!summary_is_wanted()) return cpu.multiply(call);
    const auto start = std::chrono::steady_clock::now();
    cpu.multiply(call);
    count_cpu_call(seconds_since(start));
  }

  void note_failure(const Error& error) {
    if (error.code() == ErrorCode::device_lost || ++failures_ >= most_failures) state_ = State::unusable;
    count_device_failure(error.what());
    note(error.what());
  }

  // Once: who wants more asks for CLGEMM_LOG=debug.
  void note(const std::string& why) {
    const LogLevel level = said_.exchange(true) ? LogLevel::debug : LogLevel::info;
    log(level, "drop-in BLAS: the CPU goes on, for the device failed: " + why);
  }

  static thread_local bool inside_cpu_blas;
  struct InsideCpuBlas {
    InsideCpuBlas() { inside_cpu_blas = true; }
    ~InsideCpuBlas() { inside_cpu_blas = false; }
    InsideCpuBlas(const InsideCpuBlas&) = delete;
    InsideCpuBlas& operator=(const InsideCpuBlas&) = delete;
  };

  static std::optional<double> crossing_of_environment() {
    const std::string text = environment("CLGEMM_BLAS_CROSSING");
    return is_number(text) ? std::optional(std::strtod(text.c_str(), nullptr)) : std::nullopt;
  }

  const std::optional<double> fixed_crossing_ = crossing_of_environment();
  std::atomic<State> state_{State::unopened};
  std::atomic<double> multiplied_{0.0};
  std::atomic<int> failures_{0};
  std::atomic<bool> said_{false};
  std::mutex opening_;
  std::unique_ptr<Device> device_;  // these two once the state is `ready`
  Speeds speeds_;
};

thread_local bool Dispatcher::inside_cpu_blas = false;

// Never destroyed: other libraries may call from their own destructors.
Dispatcher& dispatcher() {
  static Dispatcher* const instance = [] {
    log_variables();
    std::atexit([] { dispatcher().end_of_process(); });
    ::pthread_atfork(nullptr, nullptr, forget_parents_calls);
    return new Dispatcher;
  }();
  return *instance;
}

}  // namespace

void multiply(const Call& call) noexcept {
  if (call.m == 0 || call.n == 0) return;
  dispatcher().multiply(call);
}

}  // namespace clgemm::blas
