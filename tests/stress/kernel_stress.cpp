// Makes very many calls of one kernel after another, while copies run on another queue. The bits must be the
// same each time, and there must be no fault. Other tests do not find errors that occur once in 100 to 18,000
// calls.
//
// The configs that the library may choose on this device get --calls calls each. These are the choices of its
// rules for all kinds of shapes, and the configs in the tuning data that it finds. The defaults of all other
// kernels get --other-calls. Configs that the device cannot run are reported. Every result is compared on the
// device, by a kernel that also erases it. So the device is never idle, as it would be if results were read
// back, and a kernel that leaves out elements of C is found as well.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <clgemm/clgemm.hpp>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/opencl.hpp"
#include "common/error_bound.hpp"
#include "common/float64.hpp"
#include "stress_subjects.hpp"

namespace {

using namespace clgemm;
using namespace clgemm::test;

constexpr std::size_t between_looks = 50;  // calls that are enqueued together

constexpr const char* compare_source = R"(
__kernel void compare(__global uint* c, __global const uint* expected, __global uint* differing) {
  const size_t i = get_global_id(0);
  if (c[i] != expected[i]) atomic_inc(differing);
  c[i] = 0x7fc00000u;
}
)";

// Copies from device to device and from pinned host memory on a separate queue, as long as the object is
// alive.
class Traffic {
 public:
  Traffic(const cl::Context& context, const cl::Device& device, bool on) {
    if (on) thread_ = std::thread([this, context, device] { run(context, device); });
  }
  ~Traffic() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

 private:
  static constexpr std::size_t bytes = std::size_t{4} << 20;

  void run(const cl::Context& context, const cl::Device& device) const {
    try {
      const cl::CommandQueue queue(context, device);
      const cl::Buffer from(context, CL_MEM_READ_WRITE, bytes);
      const cl::Buffer to(context, CL_MEM_READ_WRITE, bytes);
      const cl::Buffer pinned(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
      void* host = queue.enqueueMapBuffer(pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes);
      while (!stop_) {
        queue.enqueueWriteBuffer(from, CL_FALSE, 0, bytes, host);
        queue.enqueueCopyBuffer(from, to, 0, 0, bytes);
        queue.finish();
      }
      queue.enqueueUnmapMemObject(pinned, host);
      queue.finish();
    } catch (const cl::Error&) {
      return;  // the calls that run meanwhile report the error
    }
  }

  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Matrices of one size on the device, and their expected product.
class Run {
 public:
  Run(const Size& size, const Settings& settings, const Subject& subject)
      : size_(size), subject_(subject), context_(""), queue_(context_.queue(), true) {
    options_.kernel = subject.kernel;
    options_.parameters = subject.parameters;
    options_.kernel_folder = settings.folder;
    const cl::Context context(context_.context(), true);
    a_ = filled(context, size.m * size.k, 1);
    b_ = filled(context, size.k * size.n, 2);
    c_ = filled(context, size.m * size.n, 3);
    expected_ = filled(context, size.m * size.n, 3);
    cl_uint none = 0;
    differing_ = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof none, &none);
    cl::Program program(context, std::string(compare_source));
    program.build();
    compare_ = cl::Kernel(program, "compare");
    compare_.setArg(0, c_);
    compare_.setArg(1, expected_);
    compare_.setArg(2, differing_);
  }

  // Makes the subject's first call. Its result is compared with that of the kernel that runs anywhere, and
  // all others must be equal to it. Returns what is wrong, or an empty text.
  std::string first_call() {
    Options plain;
    plain.kernel = "coalesced";
    const std::vector<float> right = result_with(plain);
    const std::vector<float> first = result_with(options_);
    queue_.enqueueWriteBuffer(expected_, CL_TRUE, 0, first.size() * sizeof(float), first.data());
    // For sums of k products of at most 1, both results are this near to the exact ones.
    const double k = static_cast<double>(size_.k);
    const double ratio = bench::error_bound(bench::Arithmetic::fp32, size_.k, bench::Numbers::random);
    const double bound = 2.0 * ratio * bench::unit_roundoff * k;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (!(std::abs(static_cast<double>(first[i]) - static_cast<double>(right[i])) <= bound))
        return fmt::format("the first result has {} where {} is right", first[i], right[i]);
    }
    return {};
  }

  void call_and_compare(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      multiply(options_);
      queue_.enqueueNDRangeKernel(compare_, cl::NullRange, cl::NDRange(size_.m * size_.n));
    }
    queue_.finish();
  }

  // Returns how many elements have differed from the first call so far.
  std::size_t differing() const {
    cl_uint count = 0;
    queue_.enqueueReadBuffer(differing_, CL_TRUE, 0, sizeof count, &count);
    return count;
  }

  // Returns what the library reports for one more call after a failure.
  std::string next_answer() {
    try {
      multiply(options_);
      return "works";
    } catch (const Error& error) {
      return fmt::format("{}: {}", to_string(error.code()), error.what());
    }
  }

  cl::Context context() const { return cl::Context(context_.context(), true); }
  cl::Device device() const { return cl::Device(context_.device(), true); }

 private:
  // Makes numbers from -1 to 1.
  static cl::Buffer filled(const cl::Context& context, std::size_t count, std::uint64_t seed) {
    std::vector<float> numbers(count);
    std::uint64_t state = seed;
    for (float& number : numbers) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      number = static_cast<float>(static_cast<double>(state >> 33) * 0x1p-30 - 1.0);
    }
    return cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof(float),
                      numbers.data());
  }

  void multiply(const Options& options) {
    context_.sgemm(queue_(), Layout::row_major, Transpose::no, Transpose::no, size_.m, size_.n, size_.k, 1.0f,
                   {a_(), size_.k}, {b_(), size_.n}, 0.0f, {c_(), size_.n}, {}, nullptr, options);
  }

  std::vector<float> result_with(const Options& options) {
    multiply(options);
    std::vector<float> result(size_.m * size_.n);
    queue_.enqueueReadBuffer(c_, CL_TRUE, 0, result.size() * sizeof(float), result.data());
    return result;
  }

  Size size_;
  const Subject& subject_;
  Options options_;
  clgemm::Context context_;
  cl::CommandQueue queue_;
  cl::Buffer a_, b_, c_, expected_, differing_;
  cl::Kernel compare_;
};

enum class Verdict { passed, failed, skipped };

bool means_not_here(ErrorCode code) {
  return code == ErrorCode::requirement_failed || code == ErrorCode::device_limit_exceeded ||
         code == ErrorCode::build_failed;
}

// Makes the calls of one subject, and sets `said` to the report about them.
Verdict stress(Run& run, const Subject& subject, const Settings& settings, std::string& said) {
  using Clock = std::chrono::steady_clock;
  if (said = run.first_call(); !said.empty()) return Verdict::failed;
  const Traffic traffic(run.context(), run.device(), settings.copies);
  const auto start = Clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::size_t made = 0;
  try {
    at_boundary([&] {
      while (made < subject.calls && spent() < settings.seconds) {
        const std::size_t count = std::min(between_looks, subject.calls - made);
        run.call_and_compare(count);
        made += count;
      }
      if (const std::size_t differing = run.differing(); differing != 0)
        throw Error(ErrorCode::internal_error, fmt::format("{} elements of C differ", differing));
    });
  } catch (const Error& error) {
    said = fmt::format("after {} calls: {}: {}\n  and the next call: {}", made, to_string(error.code()),
                       error.what(), run.next_answer());
    return Verdict::failed;
  }
  said = fmt::format("{} calls in {:.1f} s{}", made, spent(), made < subject.calls ? ", cut short" : "");
  return Verdict::passed;
}

Verdict try_subject(const Subject& subject, const Settings& settings, std::string& said) {
  try {
    return at_boundary([&] {
      const Size size = size_for(subject, settings);
      Run run(size, settings, subject);
      const Verdict verdict = stress(run, subject, settings, said);
      said = fmt::format("{}x{}x{}: {}", size.m, size.n, size.k, said);
      return verdict;
    });
  } catch (const Error& error) {
    said = fmt::format("{}: {}", to_string(error.code()), error.what());
    return means_not_here(error.code()) ? Verdict::skipped : Verdict::failed;
  }
}

int run_all(const Settings& settings) {
  const Device device = describe(default_device());
  fmt::print("on {} ({}, driver {}){}\n", device.name, device.platform_name, device.driver_version,
             settings.copies ? ", with copies on another queue" : "");
  std::size_t count[3] = {0, 0, 0};
  for (const Subject& subject : subjects_of(settings, device)) {
    constexpr const char* names[] = {"PASSED", "FAILED", "SKIPPED"};
    std::string said;
    const Verdict verdict = try_subject(subject, settings, said);
    ++count[static_cast<std::size_t>(verdict)];
    fmt::print("{} {}: {}\n", names[static_cast<std::size_t>(verdict)], subject.name(), said);
    std::fflush(stdout);
  }
  fmt::print("{} passed, {} failed, {} skipped: this device cannot run them\n", count[0], count[1], count[2]);
  return count[1] == 0 && count[0] != 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return at_boundary([&] { return run_all(read_settings({argv + 1, argv + argc})); });
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
