#include "blas/dispatch.hpp"

#include <sched.h>
#include <sys/stat.h>

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
#include <system_error>
#include <thread>
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

// Shares the columns of a large copy among threads: most of it is the first touch of new memory.
template <class CopyColumn>
void for_columns(std::int64_t columns, std::size_t column_bytes, const CopyColumn& copy_column) {
  constexpr std::size_t worth_a_thread = std::size_t{16} << 20;
  const std::size_t bytes = static_cast<std::size_t>(columns) * column_bytes;
  const std::size_t wanted =
      std::min<std::size_t>(bytes / worth_a_thread, std::thread::hardware_concurrency());
  const auto parts = std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 1, columns);
  const auto copy_part = [&, columns](std::int64_t part) {
    for (std::int64_t column = columns * part / parts; column < columns * (part + 1) / parts; ++column)
      copy_column(column);
  };
  std::vector<std::thread> threads;
  std::int64_t started = 1;
  try {
    for (; started < parts; ++started) threads.emplace_back(copy_part, started);
  } catch (const std::system_error&) {
    for (; started < parts; ++started) copy_part(started);
  }
  copy_part(0);
  for (std::thread& thread : threads) thread.join();
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
  void copy(const Copy& copy_column) {
    const std::size_t column_bytes = static_cast<std::size_t>(call_.m) * sizeof(float);
    for_columns(call_.n, column_bytes, [&](std::int64_t column) {
      copy_column(elements_.get() + column * call_.m, call_.c + column * call_.ldc, column_bytes);
    });
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

// Then they are no batch: one multiply reads what another one writes.
bool has_one_c_twice(const Batch& batch) {
  std::vector<float*> all = batch.c;
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

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

  void multiply(const Batch& batch) {
    std::size_t done = 0;
    if (!inside_cpu_blas && wants_one_launch(batch)) batch_on_device(batch, done);
    for (; done < batch.count(); ++done) multiply(batch.at(done));
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
    if (!is_open_after(multiplications(call))) return false;
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

  // Whether the device is ready: it is opened once there was so much to do that it may be worth it.
  bool is_open_after(double more) {
    if (state_ != State::unopened) return state_ == State::ready;
    // Not one sum that all threads add to at once: what is lost between them does not matter.
    const double so_far = multiplied_.load(std::memory_order_relaxed) + more;
    multiplied_.store(so_far, std::memory_order_relaxed);
    return so_far >= multiplications_before_a_device && open();
  }

  bool wants_one_launch(const Batch& batch) {
    const Call& call = batch.shape;
    if (state_ == State::unusable || batch.count() < 2 || call.k == 0 || call.alpha == 0.0f) return false;
    if (is_forked_child()) return false;
    const double all = multiplications(call) * static_cast<double>(batch.count());
    try {
      if (fixed_crossing_ && all < *fixed_crossing_) return false;
      if (has_one_c_twice(batch)) return false;
      if (fixed_crossing_ || !cpu_blas()) return one_launch_pays(call);
      return is_open_after(all) && one_launch_pays(speeds_, call, batch.count(), [&](std::size_t count) {
               return device_->predicted_seconds(call, count);
             });
    } catch (const std::exception& failure) {
      note(failure.what());
      return false;
    }
  }

  // `done` multiplies are complete; the others' C are as they were, for others to do.
  void batch_on_device(const Batch& batch, std::size_t& done) {
    try {
      if (!open()) return;
      const auto start = std::chrono::steady_clock::now();
      device_->multiply(batch, done);
      failures_ = 0;
      if (!summary_is_wanted()) return;
      count_batch({seconds_since(start), device_->predicted_seconds(batch.shape, batch.count())},
                  batch.count());
    } catch (const Error& error) {
      note_failure(error);
    } catch (const std::exception& failure) {
      note(failure.what());
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
    // A and B need not be there then: OpenBLAS 0.3.21 reads them all the same on Intel's AVX-512.
    if (call.alpha == 0.0f || call.k == 0) {
      counted_on_cpu([&] { multiply_in_plain_loop(call); });
      return;
    }
    const CpuBlas& cpu = cpu_blas();
    if (!cpu || !cpu.can_take(call)) {
      if (state_ == State::unusable || !on_device(call))
        counted_on_cpu([&] { multiply_in_plain_loop(call); });
      return;
    }
    const InsideCpuBlas guard;
    counted_on_cpu([&] { cpu.multiply(call); });
  }

  template <class Multiply>
  static void counted_on_cpu(const Multiply& multiply) {
    if (!summary_is_wanted()) return multiply();
    const auto start = std::chrono::steady_clock::now();
    multiply();
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
    count_anew_in_children();
    return new Dispatcher;
  }();
  return *instance;
}

}  // namespace

void multiply(const Call& call) noexcept {
  if (call.m == 0 || call.n == 0) return;
  dispatcher().multiply(call);
}

void multiply(const Batch& batch) noexcept {
  if (batch.count() == 0 || batch.shape.m == 0 || batch.shape.n == 0) return;
  dispatcher().multiply(batch);
}

}  // namespace clgemm::blas
