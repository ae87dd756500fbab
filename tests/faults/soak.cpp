// Many threads on one Context while OpenCL calls fail: soak [--seconds N] [--threads N] [--every N] [--seed
// N]. No result may be wrong, each failure must be an Error, and memory must not grow. The exit status is 0
// only if that held.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "fault_layer.hpp"
#include "stress/mixed_calls.hpp"

namespace {

using namespace clgemm::test;
using Clock = std::chrono::steady_clock;

constexpr std::size_t shapes = 60;
// The variation of the allocator with 16 threads, and what PoCL keeps of commands: 10 to 20 MiB in runs of 60
// s, and 3 MiB in one of 30 s.
constexpr double allowed_growth_mib = 32;

struct Settings {
  long seconds = 20, threads = 16, every = 97, seed = 1;
};

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

struct Counts {
  std::atomic<unsigned long> right{0}, wrong{0}, errors{0}, others{0};
};

void make_calls(clgemm::Context& context, const std::vector<MixedCall>& calls, std::size_t first,
                Clock::time_point end, Counts& counts) {
  for (std::size_t i = first; Clock::now() < end; ++i) {
    try {
      ++(run_on_host(context, calls[i * 7 % calls.size()]) ? counts.right : counts.wrong);
    } catch (const clgemm::Error&) {
      ++counts.errors;
    } catch (const std::exception& other) {
      if (++counts.others == 1) std::printf("not an Error: %s\n", other.what());
    }
  }
}

void run_threads(clgemm::Context& context, const std::vector<MixedCall>& calls, const Settings& settings,
                 std::chrono::milliseconds time, Counts& counts) {
  const auto end = Clock::now() + time;
  std::vector<std::jthread> threads;
  for (long i = 0; i < settings.threads; ++i) {
    const auto first = static_cast<std::size_t>(settings.seed * 1000 + i * 31);
    threads.emplace_back([&, first] { make_calls(context, calls, first, end, counts); });
  }
}

Settings settings_of(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    long* const place = name == "--seconds"   ? &settings.seconds
                        : name == "--threads" ? &settings.threads
                        : name == "--every"   ? &settings.every
                        : name == "--seed"    ? &settings.seed
                                              : nullptr;
    if (place == nullptr || argc % 2 == 0) {
      std::fprintf(stderr, "soak [--seconds N] [--threads N] [--every N] [--seed N]\n");
      std::exit(1);
    }
    *place = std::atol(argv[i + 1]);
  }
  return settings;
}

int run(const Settings& settings) {
  FaultLayer& layer = FaultLayer::of_process();
  std::vector<MixedCall> calls;
  for (std::size_t i = 0; i < shapes; ++i) calls.push_back(make_mixed_call(i));
  const long live_before = layer.live_objects();
  Counts counts;
  double before = 0;
  double after = 0;
  {
    clgemm::Context context;
    for (const MixedCall& call : calls) run_on_host(context, call);
    const std::chrono::milliseconds all(settings.seconds * 1000);
    // The first error is lack of memory. After it, copies of parts of host matrices are tried again with
    // smaller parts. Nothing helps against the second error.
    const auto every = static_cast<unsigned long>(settings.every);
    layer.arm({{1, 2 * every, CL_OUT_OF_RESOURCES, {}, nullptr},
               {1 + every, 2 * every, CL_INVALID_OPERATION, {}, nullptr}});
    run_threads(context, calls, settings, all / 4, counts);
    before = resident_mib();
    run_threads(context, calls, settings, all * 3 / 4, counts);
    after = resident_mib();
    layer.disarm();
    for (const MixedCall& call : calls) ++(run_on_host(context, call) ? counts.right : counts.wrong);
  }
  const bool leaks = layer.live_objects() != live_before;
  std::printf(
      "%ld threads, every %ldth OpenCL call failing: %lu right, %lu wrong, %lu Errors, %lu other exceptions; "
      "resident %.1f MiB, then %.1f; %s\n",
      settings.threads, settings.every, counts.right.load(), counts.wrong.load(), counts.errors.load(),
      counts.others.load(), before, after, leaks ? layer.describe_live().c_str() : "nothing leaked");
  const bool grows = after > before + allowed_growth_mib;
  return counts.wrong == 0 && counts.others == 0 && counts.errors != 0 && !leaks && !grows ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(settings_of(argc, argv));
  } catch (const clgemm::Error& error) {
    std::printf("without faults: %s\n", error.what());
    return 1;
  }
}
