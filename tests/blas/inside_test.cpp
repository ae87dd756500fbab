// The parts of the drop-in: where the crossing lies and how it is kept, whose rank we are, which BLAS is
// found, and the loop that is left where there is none.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>
#include <vector>

#include "blas/batch_memory.hpp"
#include "blas/cpu_blas.hpp"
#include "blas/crossing.hpp"
#include "blas/local_rank.hpp"
#include "blas/summary.hpp"
#include "support/catch.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm::blas {
namespace {

using test::contains;
using test::ScopedVariable;
using test::TemporaryFolder;

Call call_of(std::int64_t m, std::int64_t n, std::int64_t k, float beta = 0.0f) {
  Call call;
  call.m = m, call.n = n, call.k = k, call.beta = beta;
  return call;
}

TEST_CASE("what a call moves: C twice where it is read") {
  CHECK(multiplications(call_of(2, 3, 4)) == 24.0);
  CHECK(elements_moved(call_of(2, 3, 4)) == 8.0 + 12.0 + 6.0);
  CHECK(elements_moved(call_of(2, 3, 4, 1.0f)) == 8.0 + 12.0 + 12.0);
}

TEST_CASE("a device pays where its multiply and what goes around it take less than the CPU") {
  Speeds speeds;
  speeds.cpu_call = 1e-6;
  speeds.cpu_multiplication = 1e-11;
  speeds.device_call = 50e-6;
  speeds.device_element = 1e-10;
  int questions = 0;
  const auto predicted = [&questions](const Call& call) {
    ++questions;
    return multiplications(call) * 1e-13;
  };
  CHECK_FALSE(pays(speeds, call_of(64, 64, 64), predicted));
  CHECK(questions == 0);  // the CPU takes less than a call of the device takes at least
  CHECK(pays(speeds, call_of(1000, 1000, 1000), predicted));
  CHECK(questions == 1);
  CHECK_FALSE(pays(speeds, call_of(1000, 1000, 4), predicted));
  CHECK_FALSE(pays(speeds, call_of(1000, 1000, 1000), [](const Call&) { return 1.0; }));
}

TEST_CASE("one launch pays for many small multiplies, and not for large ones") {
  Speeds speeds;
  speeds.cpu_call = 1e-6;
  speeds.cpu_multiplication = 1e-10;
  speeds.device_call = 50e-6;
  speeds.device_element = 1e-10;
  const auto predicted_for = [](const Call& call) {
    return [&call](std::size_t count) {
      return 5e-6 + static_cast<double>(count) * multiplications(call) * 1e-13;
    };
  };
  const auto pays_for = [&](const Call& call, std::size_t count) {
    return one_launch_pays(speeds, call, count, predicted_for(call));
  };
  const Call small = call_of(64, 64, 64);
  CHECK(pays_for(small, 1000));
  CHECK_FALSE(pays_for(small, 2));                      // the CPU has done both in 54 us
  CHECK_FALSE(pays_for(call_of(8, 8, 8), 20));          // in 21 us
  CHECK_FALSE(pays_for(call_of(2000, 2000, 2000), 4));  // gathering takes longer than a call
  CHECK(one_launch_pays(small));
  CHECK_FALSE(one_launch_pays(call_of(2000, 2000, 2000)));
}

// Two machines whose speeds are known, so that what was measured can be told.
struct Machines {
  int on_device = 0;

  static void wait(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }
  static double model(const Call& call) { return multiplications(call) * 1e-12; }

  Contestants contestants() {
    return {
        [](const Call& call) { wait(1e-6 + multiplications(call) * 1e-10 + elements_moved(call) * 1e-9); },
        [this](const Call& call) {
          ++on_device;
          wait(200e-6 + model(call) + elements_moved(call) * 5e-9);
        },
        model};
  }
};

TEST_CASE("speeds are measured once, and kept for the same machines") {
  const TemporaryFolder folder;
  const ScopedVariable cache("CLGEMM_CACHE_DIR", folder.path().c_str());
  Machines machines;
  const Speeds speeds = kept_or_measured("a, b", machines.contestants());
  CHECK(speeds.cpu_multiplication > 0.8e-10);
  CHECK(speeds.cpu_multiplication < 5e-10);
  CHECK(speeds.device_call > 190e-6);
  CHECK(speeds.device_call < 2e-3);
  CHECK(speeds.device_element > 3e-9);
  CHECK(speeds.device_element < 20e-9);
  const int runs = machines.on_device;
  CHECK(runs > 0);

  const Speeds kept = kept_or_measured("a, b", machines.contestants());
  CHECK(machines.on_device == runs);
  CHECK(std::abs(kept.device_call - speeds.device_call) < 1e-4 * speeds.device_call);
  kept_or_measured("a, c", machines.contestants());
  CHECK(machines.on_device == 2 * runs);

  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    std::ofstream(file.path()) << "something else\n";
  }
  kept_or_measured("a, b", machines.contestants());
  CHECK(machines.on_device == 3 * runs);
}

TEST_CASE("without a folder for caches, speeds are measured anew") {
  const ScopedVariable cache("CLGEMM_CACHE", "0");
  Machines machines;
  kept_or_measured("a, b", machines.contestants());
  const int runs = machines.on_device;
  kept_or_measured("a, b", machines.contestants());
  CHECK(machines.on_device == 2 * runs);
}

TEST_CASE("the local rank, by whoever started us") {
  const ScopedVariable none("SLURM_LOCALID", nullptr);
  const ScopedVariable nor("OMPI_COMM_WORLD_LOCAL_RANK", nullptr);
  CHECK_FALSE(local_rank().has_value());
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    const ScopedVariable set(variable, "3");
    REQUIRE(local_rank().has_value());
    CHECK(local_rank()->rank == 3);
    CHECK(local_rank()->count == 0);
    CHECK(local_rank()->variable == variable);
  }
  const ScopedVariable wrong("SLURM_LOCALID", "three");
  CHECK_FALSE(local_rank().has_value());
  const ScopedVariable rank("OMPI_COMM_WORLD_LOCAL_RANK", "1");
  const ScopedVariable count("OMPI_COMM_WORLD_LOCAL_SIZE", "4");
  CHECK(local_rank()->count == 4);
  const ScopedVariable too_few("OMPI_COMM_WORLD_LOCAL_SIZE", "1");
  CHECK(local_rank()->count == 0);
}

TEST_CASE("devices are dealt out among the ranks of a machine") {
  using Turns = std::vector<std::size_t>;
  CHECK(dealt_to({0, 2, ""}, 2) == Turns{0});
  CHECK(dealt_to({1, 2, ""}, 2) == Turns{1});
  CHECK(dealt_to({0, 2, ""}, 5) == Turns{0, 2, 4});
  CHECK(dealt_to({1, 2, ""}, 5) == Turns{1, 3});
  CHECK(dealt_to({0, 1, ""}, 3) == Turns{0, 1, 2});
  CHECK(dealt_to({5, 8, ""}, 2) == Turns{1});  // several ranks on a device
  CHECK(dealt_to({5, 0, ""}, 4) == Turns{1});  // nobody knows how many ranks there are
  CHECK(dealt_to({2, 0, ""}, 4) == Turns{2});
}

TEST_CASE("a library that is the drop-in itself is no CPU BLAS, under whatever name") {
  const TemporaryFolder folder;
  const std::string copy = folder.path() / "libblas.so.3";
  std::filesystem::copy_file(CLGEMM_BLAS_LIBRARY, copy);
  for (const std::string& library : {std::string(CLGEMM_BLAS_LIBRARY), copy}) {
    const ScopedVariable named("CLGEMM_BLAS_CPU", library.c_str());
    CHECK_FALSE(CpuBlas::find());
  }
  const ScopedVariable none("CLGEMM_BLAS_CPU", "none");
  CHECK_FALSE(CpuBlas::find());
}

void check_product(const std::function<void(const Call&)>& multiply) {
  const std::vector<float> a = {1, 2, 3, 4, 5, 6};      // 2 x 3, column-major
  const std::vector<float> b = {1, 0, 2, -1, 1, 0.5f};  // 3 x 2
  std::vector<float> c = {1, 1, 1, 1};
  multiply({false, false, 2, 2, 3, 2.0f, a.data(), 2, b.data(), 3, 1.0f, c.data(), 2});
  CHECK(c == std::vector<float>{23, 29, 10, 11});
  multiply({true, true, 2, 2, 3, 1.0f, a.data(), 3, b.data(), 2, 0.0f, c.data(), 2});
  CHECK(c == std::vector<float>{1 + 4 + 3, 4 + 10 + 6, -2 + 1.5f, -5 + 3});
}

TEST_CASE("the plain loop multiplies") {
  check_product(multiply_in_plain_loop);
}

TEST_CASE("whichever CPU BLAS is installed is found by name, and multiplies") {
  int found = 0;
  for (const char* library : {"libopenblas.so.0", "libblis.so.4", "libblas.so.3", "libmkl_rt.so.3",
                              "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3",
                              "/usr/lib/x86_64-linux-gnu/blis-pthread/libblas.so.3"}) {
    const ScopedVariable named("CLGEMM_BLAS_CPU", library);
    const CpuBlas cpu = CpuBlas::find();
    if (!cpu) continue;
    ++found;
    INFO(cpu.path());
    CHECK(cpu.symbol("sgemm_") != nullptr);
    check_product([&cpu](const Call& call) { cpu.multiply(call); });
    Call large = call_of(1, 1, 1);
    CHECK(cpu.can_take(large));
    large.lda = std::int64_t{1} << 31;
    CHECK_FALSE(cpu.can_take(large));
  }
  if (found == 0) WARN("there is no BLAS on this machine");
}

TEST_CASE("the summary says what went where") {
  forget_calls();
  CHECK(summary("some device", "/lib/some_blas").empty());
  count_device_call({2.0, 1.0});
  count_device_call({2.0, 2.5});
  count_cpu_call(0.5);
  count_device_failure("first reason");
  count_device_failure("second reason");
  const std::string text = summary("some device", "/lib/some_blas");
  CHECK(contains(text, "2 calls, 4.000 s on some device; 25 % of it for transfers"));
  CHECK(contains(text, "1 calls, 0.500 s on the CPU by /lib/some_blas"));
  CHECK_FALSE(contains(text, "batches"));
  CHECK(contains(text, "2 began on the device and failed there: first reason"));
  count_batch({1.0, 1.0}, 100);
  CHECK(contains(summary("some device", ""), "3 calls, 5.000 s on some device"));
  CHECK(contains(summary("some device", ""), "1 of these were batches, 100 multiplies in a launch each"));
}

TEST_CASE("children count from zero, also where another thread counts while one forks") {
  count_anew_in_children();
  std::atomic<bool> counting = true;
  std::thread other([&] {
    while (counting) count_cpu_call(1e-9);
  });
  bool all_counted = true;
  for (int i = 0; i < 300 && all_counted; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(10);
      count_cpu_call(0.5);
      ::_exit(contains(summary("", "some BLAS"), " 1 calls, 0.500 s on the CPU") ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    all_counted = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  counting = false;
  other.join();
  CHECK(all_counted);
}

}  // namespace
}  // namespace clgemm::blas
