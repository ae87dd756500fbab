#include "blas/dispatch.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/copy_lines.hpp"
#include "base/environment.hpp"
#include "base/forked.hpp"
#include "base/log.hpp"
#include "blas/background.hpp"
#include "blas/cpu_blas.hpp"
#include "blas/crossing.hpp"
#include "blas/device.hpp"
#include "blas/summary.hpp"

namespace clgemm::blas {
namespace {

// After so many failures in a row the device is no longer used, because each may cost a compilation.
constexpr int most_failures = 3;

// Seconds to open a device and to compile for a shape, before either was timed. An H200 was opened in 0.45 s,
// and its compiler took 0.2 to 3 s. PoCL on two shared AMD EPYC cores took 0.15 to 0.7 s and 2 to 6 s.
constexpr double guessed_opening_seconds = 0.3;
constexpr double guessed_compiling_seconds = 2.0;

// A call waits for the background for this fraction of its time on the CPU BLAS, if that is long enough to
// matter.
constexpr double waiting_share = 0.1;
constexpr double least_waiting_seconds = 1e-3;

// At its end, the process waits so long for the job in the background, if there is one.
constexpr double most_seconds_at_exit = 5.0;

// The limit of remembered shapes. A program that uses more and more shapes must not fill the memory.
constexpr std::size_t most_preparations = 4096;

// Converts a text independently of the locale, in which the decimal point may be a comma.
std::optional<double> number_of(const std::string& text) {
  double value = 0.0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = status == std::errc() && rest == text.data() + text.size();
  return is_whole && std::isfinite(value) && value >= 0.0 ? std::optional(value) : std::nullopt;
}

bool is_number(const std::string& text) {
  return number_of(text).has_value();
}

// Checks variables whose names begin with CLGEMM_BLAS_. The variable that asks for a summary is checked with
// the summary.
void log_variables() {
  log_bad_values({{"CLGEMM_BLAS_CROSSING", is_number, "a number of multiplications (m * n * k), or 0"},
                  {"CLGEMM_BLAS_BLOCK", is_count, "an integer of at least 1"}});
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Protects C from a device that fails. Such a device may spoil C, and then the CPU needs C as it was; with
// beta == 0 it is not needed again. A device that copies the matrices works on the caller's C, which is saved
// first. A device that works in the host's memory works on a copy of C, because a device that fails may still
// write after the call if it cannot be waited for.
class CForDevice {
 public:
  CForDevice(const Batch& batch, bool is_in_place)
      : batch_(batch),
        rows_(static_cast<std::size_t>(batch.shape.m)),
        columns_(static_cast<std::size_t>(batch.shape.n)),
        ld_(static_cast<std::size_t>(batch.shape.ldc)) {
    const bool is_read = batch.shape.beta != 0.0f;
    if (is_in_place) copies_.reset(new float[batch.count() * rows_ * columns_]);
    for (std::size_t i = 0; is_read && i < batch.count(); ++i) {
      if (is_in_place) {
        copy_by_threads(copy(i), rows_, batch.c[i], ld_, columns_, rows_);
      } else {
        saved_.emplace_back(batch.c[i], columns_, rows_, ld_);
      }
    }
  }

  Batch batch() const {
    Batch result = batch_;
    if (!copies_) return result;
    result.shape.ldc = batch_.shape.m;
    for (std::size_t i = 0; i < result.count(); ++i) result.c[i] = copy(i);
    return result;
  }

  void succeeded() const {
    for (std::size_t i = 0; copies_ && i < batch_.count(); ++i)
      copy_by_threads(batch_.c[i], ld_, copy(i), rows_, columns_, rows_);
  }

  void failed(const Error& error) {
    for (const SavedLines& one : saved_) one.restore();
    if (error.code() == ErrorCode::matrices_in_use) static_cast<void>(copies_.release());  // still in use
  }

 private:
  float* copy(std::size_t i) const { return copies_.get() + i * rows_ * columns_; }

  const Batch& batch_;
  const std::size_t rows_;
  const std::size_t columns_;
  const std::size_t ld_;
  std::vector<SavedLines> saved_;
  std::unique_ptr<float[]> copies_;
};

// The most elements of C that are saved or copied for one call of the device.
constexpr std::size_t most_elements_of_c = std::size_t{16} << 20;

Batch part_of(const Batch& batch, std::size_t first, std::size_t count) {
  const auto part = [&](const auto& matrices) {
    const auto begin = matrices.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  return {batch.shape, part(batch.a), part(batch.b), part(batch.c)};
}

// Then the matrices are not a batch: one GEMM reads the result of another.
bool has_one_c_twice(const Batch& batch) {
  std::vector<float*> all = batch.c;
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

class Dispatcher;
Dispatcher& dispatcher();

// Everything on which the programs of a call depend.
using ShapeKey = std::array<std::size_t, 11>;
ShapeKey key_of(const SgemmShape& shape) {
  return {shape.transpose_a == Transpose::yes,
          shape.transpose_b == Transpose::yes,
          shape.m,
          shape.n,
          shape.k,
          shape.lda,
          shape.ldb,
          shape.ldc,
          shape.batch_count,
          shape.stride_a,
          shape.stride_b};
}

class Dispatcher {
 public:
  void multiply(const Call& call) {
    // The CPU BLAS has called us, so it is not a BLAS of its own.
    if (inside_cpu_blas) return on_device(batch_of(call)) ? void() : multiply_in_plain_loop(call);
    const Work work{call};
    if (wants_device(work, [&] { return shape_of(call); }) && on_device(batch_of(call))) return;
    learned_on_cpu(work, [&] { on_cpu(call); });
  }

  void multiply(const Batch& batch) {
    const double elements = static_cast<double>(batch.shape.m) * static_cast<double>(batch.shape.n);
    const auto at_once = static_cast<std::size_t>(std::max(most_elements_of_c / elements, 1.0));
    if (at_once >= batch.count()) return multiply_at_once(batch);
    for (std::size_t done = 0; done < batch.count(); done += at_once)
      multiply_at_once(part_of(batch, done, std::min(at_once, batch.count() - done)));
  }

  void end_background() noexcept {
    if (!is_forked_child()) background_.end(most_seconds_at_exit);
  }

  void end_of_process() noexcept {
    try {
      end_background();
      if (summary_is_wanted()) {
        const std::string text = summary(surroundings());
        std::fwrite(text.data(), 1, text.size(), stderr);
      }
      if (!is_forked_child() && state_ == State::ready) device_->close();
    } catch (const std::exception&) {
      return;  // the process ends
    }
  }

  // Without this, a child of fork() would wait forever for a lock that another thread of its parent held.
  std::mutex& lock_of_fork() { return mutex_; }

 private:
  enum class State { unopened, ready, unusable };

  // The known facts of the calls of one shape.
  struct Preparation {
    std::optional<double> expected;  // seconds on the device
    bool is_ready = false;           // its programs are compiled
    bool has_failed = false;
  };

  void multiply_at_once(const Batch& batch) {
    if (!is_decided_as_one(batch)) {
      for (std::size_t i = 0; i < batch.count(); ++i) multiply(batch.at(i));
      return;
    }
    const Work work{batch.shape, batch.count()};
    if (wants_device(work, [&] { return shape_of(batch); }) && on_device(batch)) return;
    learned_on_cpu(work, [&] {
      for (std::size_t i = 0; i < batch.count(); ++i) on_cpu(batch.at(i));
    });
  }

  template <class Shape>
  bool wants_device(const Work& work, const Shape& shape) {
    if (state_ == State::unusable || work.shape.k == 0 || work.shape.alpha == 0.0f) return false;
    if (fixed_crossing_) return multiplications(work) >= *fixed_crossing_;
    if (!cpu_blas()) return true;
    try {
      return learns_from(work) && is_expected_faster_on_device(work, shape());
    } catch (const std::exception& failure) {
      note(failure.what());
      return false;
    }
  }

  // Returns false if there is nothing to decide, or if the call is too small to be timed.
  bool learns_from(const Work& work) const {
    return !fixed_crossing_ && state_ != State::unusable && Crossing::is_large_enough(work) &&
           work.shape.alpha != 0.0f && !is_forked_child() && cpu_blas();
  }

  template <class Multiply>
  void learned_on_cpu(const Work& work, const Multiply& multiply) {
    if (!learns_from(work)) return multiply();
    const auto start = std::chrono::steady_clock::now();
    multiply();
    learn([&, seconds = seconds_since(start)] { crossing_.learn_cpu(work, seconds); });
  }

  template <class Learn>
  void learn(const Learn& learn_it) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      learn_it();
    } catch (const std::exception&) {
      return;  // no memory: nothing is learned
    }
  }

  // The device is opened and programs are compiled in the background. Meanwhile the CPU BLAS is used.
  bool is_expected_faster_on_device(const Work& work, const SgemmShape& shape) {
    std::unique_lock lock(mutex_);
    if (state_ == State::unopened) in_background(lock, work, guessed_opening_seconds, [this] { open(); });
    if (state_ != State::ready) return false;
    const ShapeKey key = key_of(shape);
    if (preparations_.size() >= most_preparations) preparations_.clear();
    const Preparation before = preparations_[key];
    if (!before.is_ready) {
      if (before.has_failed || !crossing_.may_pay(work, before.expected)) return false;
      if (!crossing_.have_taken(compiling_seconds_, work)) return false;
      in_background(lock, work, compiling_seconds_, [this, work, shape] { prepare(work, shape); });
    }
    // NVIDIA's driver lets calls of the device wait for its compiler: up to 3 s on an H100.
    if (background_.is_running()) return false;
    const auto now = preparations_.find(key);
    return now != preparations_.end() && now->second.is_ready &&
           crossing_.is_devices_turn(work, now->second.expected.value_or(0.0));
  }

  // Starts the job if the budget allows it, and waits for it in proportion to the call's time.
  template <class Job>
  void in_background(std::unique_lock<std::mutex>& lock, const Work& work, double expected_seconds,
                     const Job& job) {
    const double paid = crossing_.paid_by_program(expected_seconds);
    if (!crossing_.can_afford(Crossing::Cost::background, paid, work)) return;
    claim_process();
    end_background_with_main();
    const bool is_started = background_.start([this, job] {
      const auto start = std::chrono::steady_clock::now();
      job();
      learn([&, seconds = seconds_since(start)] {
        crossing_.spend(Crossing::Cost::background, crossing_.paid_by_program(seconds));
      });
    });
    const double most_seconds = waiting_share * crossing_.cpu_seconds(work);
    if (!is_started || most_seconds < least_waiting_seconds) return;
    lock.unlock();
    const auto start = std::chrono::steady_clock::now();
    background_.wait(most_seconds);
    lock.lock();
    crossing_.spend(Crossing::Cost::calls, seconds_since(start));
  }

  // exit() destroys this thread's own objects before all others. At that time no driver has begun to shut
  // down.
  void end_background_with_main() {
    struct End {
      ~End() { dispatcher().end_background(); }
    };
    if (::gettid() != ::getpid()) return;
    static thread_local const End end;
    static_cast<void>(end);
  }

  void prepare(const Work& work, const SgemmShape& shape) noexcept {
    Preparation now;
    try {
      const auto start = std::chrono::steady_clock::now();
      now.expected = device_->predicted_seconds_host(shape);
      bool pays = false;
      learn([&] { pays = crossing_.may_pay(work, now.expected); });
      if (pays) {
        device_->rehearse(shape);
        now.is_ready = true;
        const double seconds = seconds_since(start);
        count_preparation(seconds);
        learn([&] { compiling_seconds_ = (compiling_seconds_ + seconds) / 2.0; });
      }
    } catch (const Error& error) {
      now.has_failed = true;
      note_failure(error);
    } catch (const std::exception& failure) {
      now.has_failed = true;
      note(failure.what());
    }
    learn([&] { preparations_[key_of(shape)] = now; });
  }

  // Does the same at once, before a call that goes to the device in any case, so that its time is measured
  // separately. The next call reports a failure.
  void prepare_now(const SgemmShape& shape) {
    {
      const std::lock_guard lock(mutex_);
      Preparation& known = preparations_[key_of(shape)];
      if (std::exchange(known.is_ready, true)) return;
    }
    const auto start = std::chrono::steady_clock::now();
    try {
      device_->prepare(shape);
    } catch (const Error&) {
      return;
    }
    count_preparation(seconds_since(start));
  }

  bool is_decided_as_one(const Batch& batch) const {
    return !inside_cpu_blas && state_ != State::unusable && batch.count() > 1 && batch.shape.k != 0 &&
           batch.shape.alpha != 0.0f && !is_forked_child() && !has_one_c_twice(batch);
  }

  void learn_device(const Work& work, double seconds) {
    failures_ = 0;
    if (learns_from(work)) learn([&] { crossing_.learn_device(work, seconds); });
  }

  // Returns true if the device is ready. The first call opens it.
  bool open() {
    if (is_forked_child()) return false;
    if (state_ == State::unopened) {
      claim_process();
      const std::lock_guard lock(opening_);
      if (state_ == State::unopened) state_ = open_device() ? State::ready : State::unusable;
    }
    return state_ == State::ready;
  }

  bool open_device() {
    try {
      const auto start = std::chrono::steady_clock::now();
      bool takes_any = fixed_crossing_ || !cpu_blas();
      if (!takes_any) learn([&] { takes_any = crossing_.cpu_blas_is_slow(); });
      device_ = std::make_unique<Device>(takes_any ? Device::Unnamed::any : Device::Unnamed::gpu);
      // The drivers are loaded now, so they shut down after this.
      std::atexit([] { dispatcher().end_background(); });
      count_preparation(seconds_since(start));
      return true;
    } catch (const std::exception& failure) {
      learn([&] { why_no_device_ = failure.what(); });
      log(LogLevel::info, fmt::format("drop-in BLAS: all calls run on the CPU: {}", failure.what()));
      return false;
    }
  }

  // Returns false if each C is unchanged and the CPU must compute it.
  bool on_device(const Batch& batch) {
    const auto begin = std::chrono::steady_clock::now();
    try {
      if (!open()) return false;
      const SgemmShape shape = shape_of(batch);
      prepare_now(shape);
      const auto start = std::chrono::steady_clock::now();
      CForDevice c(batch, device_->writes_in_place());
      try {
        device_->multiply(c.batch());
        c.succeeded();
        const double seconds = seconds_since(start);
        learn_device({batch.shape, batch.count()}, seconds);
        if (summary_is_wanted())
          count_device_call({seconds, device_->predicted_seconds(shape)}, batch.count());
        return true;
      } catch (const Error& error) {
        c.failed(error);
        // The BLAS does not refuse overlapping matrices. The CPU BLAS treats them in its own way.
        if (error.argument() == Argument::none) note_failure(error);
      }
    } catch (const std::exception& failure) {
      note(failure.what());
    }
    learn([&] { crossing_.spend(Crossing::Cost::calls, seconds_since(begin)); });
    return false;
  }

  void on_cpu(const Call& call) {
    // A and B need not exist then, but OpenBLAS 0.3.21 reads them anyway on Intel's AVX-512.
    if (call.alpha == 0.0f || call.k == 0) {
      counted_on_cpu([&] { multiply_in_plain_loop(call); });
      return;
    }
    const CpuBlas& cpu = cpu_blas();
    if (!cpu || !cpu.can_take(call)) {
      if (state_ == State::unusable || !on_device(batch_of(call)))
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

  Surroundings surroundings() {
    if (!has_calls()) return {};
    if (state_ == State::ready) return {device_->name(), {}, device_->copies_matrices(), cpu_blas().path()};
    if (state_ == State::unusable && device_) return {device_->name(), {}, true, cpu_blas().path()};
    return {{}, why_no_device_, false, cpu_blas().path()};
  }

  void note_failure(const Error& error) {
    const bool is_gone = error.code() == ErrorCode::device_lost || error.code() == ErrorCode::matrices_in_use;
    if (is_gone || ++failures_ >= most_failures) state_ = State::unusable;
    count_device_failure(error.what());
    note(error.what());
  }

  // Logs it once; CLGEMM_LOG=debug shows all.
  void note(const std::string& why) {
    const LogLevel level = said_.exchange(true) ? LogLevel::debug : LogLevel::info;
    log(level, "drop-in BLAS: the device failed, so the remaining calls run on the CPU: " + why);
  }

  static thread_local bool inside_cpu_blas;
  struct InsideCpuBlas {
    InsideCpuBlas() { inside_cpu_blas = true; }
    ~InsideCpuBlas() { inside_cpu_blas = false; }
    InsideCpuBlas(const InsideCpuBlas&) = delete;
    InsideCpuBlas& operator=(const InsideCpuBlas&) = delete;
  };

  const std::optional<double> fixed_crossing_ = number_of(environment("CLGEMM_BLAS_CROSSING"));
  std::atomic<State> state_{State::unopened};
  std::atomic<int> failures_{0};
  std::atomic<bool> said_{false};
  std::mutex opening_;
  std::unique_ptr<Device> device_;  // set when the state is `ready`
  Background background_;

  std::mutex mutex_;  // for the members below
  Crossing crossing_{std::max(std::thread::hardware_concurrency(), 1U)};
  std::map<ShapeKey, Preparation> preparations_;
  double compiling_seconds_ = guessed_compiling_seconds;
  std::string why_no_device_ = fixed_crossing_
                                   ? "no call has as many multiplications as CLGEMM_BLAS_CROSSING"
                                   : "the calls took so little time that opening a device would not pay off";
};

thread_local bool Dispatcher::inside_cpu_blas = false;

// Never destroyed, because other libraries may make calls in their own destructors.
Dispatcher& dispatcher() {
  static Dispatcher* const instance = [] {
    log_variables();
    std::atexit([] { dispatcher().end_of_process(); });
    count_anew_in_children();
    const auto unlock = [] { dispatcher().lock_of_fork().unlock(); };
    ::pthread_atfork([] { dispatcher().lock_of_fork().lock(); }, unlock, unlock);
    return new Dispatcher;
  }();
  return *instance;
}

// A summary is printed even if there is no call. Without a summary, nothing is needed before the first call.
__attribute__((constructor)) void on_load() {
  if (environment("CLGEMM_BLAS_LOG") != "summary") return;
  expect_calls();
  dispatcher();
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
