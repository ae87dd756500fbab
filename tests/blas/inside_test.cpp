// The parts of the drop-in: learning the crossing, the work in the background, the rank of the process, the
// search for the BLAS, and the loop that replaces a missing one.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "blas/background.hpp"
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

// The simulated clock of these tests: the times of similar calls on both sides.
struct Sides {
  double on_cpu = 0.0;
  double on_device = 0.0;
};

// Makes this many calls like the drop-in, and counts those that go to the device.
int device_calls(Crossing& crossing, const Work& work, const Sides& sides, int calls, double expected) {
  int on_device = 0;
  for (int i = 0; i < calls; ++i) {
    if (crossing.is_devices_turn(work, expected)) {
      ++on_device;
      crossing.learn_device(work, sides.on_device);
    } else {
      crossing.learn_cpu(work, sides.on_cpu);
    }
  }
  return on_device;
}

const Work cube{call_of(500, 500, 500)};

TEST_CASE("small calls are not even timed") {
  CHECK_FALSE(Crossing::is_large_enough({call_of(63, 63, 63)}));
  CHECK(Crossing::is_large_enough({call_of(64, 64, 64)}));
  CHECK(Crossing::is_large_enough({call_of(63, 63, 63), 2}));
}

TEST_CASE("the CPU BLAS is assumed to be fast until it was timed, and one slow call does not count") {
  Crossing crossing(4);
  const double least = crossing.cpu_seconds(cube);
  CHECK(least > 1e-4);
  CHECK(least < 1e-3);
  CHECK(crossing.cpu_seconds({call_of(1000, 500, 500)}) == 2.0 * least);
  crossing.learn_cpu(cube, 1.0);
  CHECK(crossing.cpu_seconds(cube) == least);
  crossing.learn_cpu(cube, 0.02);
  crossing.learn_cpu(cube, 1.0);
  CHECK(std::abs(crossing.cpu_seconds(cube) - 0.02) < 1e-9);
  CHECK(std::abs(crossing.cpu_seconds({call_of(500, 500, 400)}) - 0.016) < 1e-9);  // in the same class
  CHECK(crossing.cpu_seconds({call_of(50, 500, 500)}) < 1e-4);                     // in another class
}

TEST_CASE("calls go to the faster side, according to their own times") {
  Crossing crossing(4);
  CHECK(crossing.may_pay(cube, std::nullopt));
  CHECK_FALSE(crossing.may_pay(cube, 1.0));
  CHECK(device_calls(crossing, cube, {0.1, 0.02}, 1000, 0.01) > 950);
  CHECK(crossing.may_pay(cube, 1.0));  // the times count, and not the expectation

  Crossing other(4);
  const Sides slow_device{0.1, 0.3};
  const int trials = device_calls(other, cube, slow_device, 1000, 0.01);
  CHECK(trials >= 3);
  CHECK(trials <= 15);
  CHECK_FALSE(other.may_pay(cube, 0.01));
}

TEST_CASE("what was learned on a busy machine is corrected, on both sides") {
  Crossing crossing(4);
  device_calls(crossing, cube, {0.1, 0.5}, 300, 0.01);
  CHECK_FALSE(crossing.may_pay(cube, 0.01));  // other programs used the device
  device_calls(crossing, cube, {0.1, 0.02}, 600, 0.01);
  CHECK(crossing.may_pay(cube, 0.01));

  Crossing other(4);
  device_calls(other, cube, {0.5, 0.02}, 100, 0.01);
  CHECK(other.may_pay(cube, 0.01));  // other programs used the CPU
  device_calls(other, cube, {0.01, 0.02}, 3000, 0.01);
  CHECK_FALSE(other.may_pay(cube, 0.01));
}

TEST_CASE(
    "a device that is slow only because the CPU BLAS runs at the same time gets the calls of all shapes") {
  Crossing crossing(1);
  const std::vector<Work> shapes = {
      {call_of(100, 500, 500)}, {call_of(200, 500, 500)}, {call_of(500, 500, 50)}};
  bool last_was_on_cpu = true;
  int on_device_at_last = 0;
  for (int i = 0; i < 6000; ++i) {
    const Work& work = shapes[static_cast<std::size_t>(i) % shapes.size()];
    const bool is_compiled = i > 1000 * (i % 3 + 1);
    const bool on_device = is_compiled && crossing.is_devices_turn(work, 1e-4);
    if (on_device) {
      crossing.learn_device(work, last_was_on_cpu ? 0.02 : 0.002);  // its threads are still spinning
    } else {
      crossing.learn_cpu(work, 0.01);
    }
    last_was_on_cpu = !on_device;
    if (i >= 5900 && on_device) ++on_device_at_last;
  }
  CHECK(on_device_at_last > 70);
}

TEST_CASE("the budget limits the cost of trials, compiling and waiting") {
  Crossing crossing(1);
  for (int i = 0; i < 100; ++i) crossing.learn_cpu(cube, 0.1);
  using Cost = Crossing::Cost;
  CHECK(crossing.can_afford(Cost::background, 0.9, cube));
  CHECK_FALSE(crossing.can_afford(Cost::background, 1.1, cube));
  CHECK(crossing.can_afford(Cost::calls, 0.4, cube));
  CHECK_FALSE(crossing.can_afford(Cost::calls, 0.6, cube));
  crossing.spend(Cost::background, 0.5);
  crossing.spend(Cost::calls, 0.2);
  CHECK_FALSE(crossing.can_afford(Cost::background, 0.9, cube));
  CHECK_FALSE(crossing.can_afford(Cost::calls, 0.4, cube));

  // Always new shapes for which the device is slow, so that each is a surprise.
  double alone = 100 * 0.1;
  double with_drop_in = alone + 0.7;
  for (int size = 1; size < 4000; size *= 2) {
    for (int i = 0; i < 20; ++i) {
      const Work work{call_of(size, 600, 600)};
      alone += 0.1;
      if (crossing.is_devices_turn(work, 1e-9)) {
        crossing.learn_device(work, 0.2);
        with_drop_in += 0.2;
      } else {
        crossing.learn_cpu(work, 0.1);
        with_drop_in += 0.1;
      }
    }
  }
  CHECK(with_drop_in > alone + 0.8);  // some calls went to the device to try it
  CHECK(with_drop_in < 1.16 * alone);
}

TEST_CASE("half of what the device has saved may be spent") {
  Crossing crossing(1);
  for (int i = 0; i < 10; ++i) crossing.learn_cpu(cube, 0.1);
  for (int i = 0; i < 100; ++i) crossing.learn_device(cube, 0.02);
  CHECK(crossing.can_afford(Crossing::Cost::background, 0.1 * 11.0 + 0.5 * 7.9, cube));
  CHECK_FALSE(crossing.can_afford(Crossing::Cost::background, 0.1 * 11.0 + 0.5 * 8.1, cube));
}

TEST_CASE("a shape is compiled for once its calls have taken as long as compiling") {
  Crossing crossing(1);
  CHECK_FALSE(crossing.have_taken(0.5, cube));
  for (int i = 0; i < 5; ++i) crossing.learn_cpu(cube, 0.1);
  CHECK(crossing.have_taken(0.5, cube));
  CHECK_FALSE(crossing.have_taken(0.7, cube));
  CHECK_FALSE(crossing.have_taken(0.5, {call_of(50, 500, 500)}));
}

TEST_CASE("background work costs most on a machine with few cores") {
  CHECK(Crossing(2).paid_by_program(3.0) == 3.0);
  CHECK(Crossing(16).paid_by_program(4.0) == 0.5);
}

TEST_CASE("a CPU BLAS is slow if no call was fast") {
  Crossing crossing(4);
  for (int i = 0; i < 10; ++i) crossing.learn_cpu(cube, 0.1);  // 2.5 GFLOP/s
  CHECK(crossing.cpu_blas_is_slow());
  crossing.learn_cpu(cube, 0.005);  // 50 GFLOP/s
  crossing.learn_cpu(cube, 0.1);
  CHECK_FALSE(crossing.cpu_blas_is_slow());
}

TEST_CASE("the background runs one job at a time, and the end of the process waits for it") {
  Background background;
  std::atomic<int> done = 0;
  std::atomic<bool> may_end = false;
  const auto job = [&] {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    if (sigismember(&blocked, SIGINT) == 1) ++done;
    while (!may_end) std::this_thread::yield();
  };
  REQUIRE(background.start(job));
  CHECK_FALSE(background.start(job));
  background.wait(0.01);  // does not wait forever
  CHECK(background.is_running());
  may_end = true;
  background.wait(60.0);
  CHECK_FALSE(background.is_running());
  CHECK(done == 1);
  may_end = false;
  REQUIRE(background.start(job));
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    may_end = true;
  });
  background.end(60.0);
  CHECK(done == 2);
  CHECK(may_end);
  CHECK_FALSE(background.start(job));
  background.end(60.0);
  other.join();
}

TEST_CASE("the end of the process does not wait for a job that hangs") {
  auto& background = *new Background;  // never destroyed, because its thread continues
  auto& may_end = *new std::atomic<bool>(false);
  REQUIRE(background.start([&may_end] {
    while (!may_end) std::this_thread::yield();
  }));
  background.end(0.01);
  CHECK_FALSE(background.start([] {}));
  may_end = true;
}

TEST_CASE("the local rank is read from the launcher's variables") {
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

TEST_CASE("devices are distributed among the ranks of a machine") {
  using Turns = std::vector<std::size_t>;
  CHECK(dealt_to({0, 2, ""}, 2) == Turns{0});
  CHECK(dealt_to({1, 2, ""}, 2) == Turns{1});
  CHECK(dealt_to({0, 2, ""}, 5) == Turns{0, 2, 4});
  CHECK(dealt_to({1, 2, ""}, 5) == Turns{1, 3});
  CHECK(dealt_to({0, 1, ""}, 3) == Turns{0, 1, 2});
  CHECK(dealt_to({5, 8, ""}, 2) == Turns{1});  // several ranks use one device
  CHECK(dealt_to({5, 0, ""}, 4) == Turns{1});  // the number of ranks is unknown
  CHECK(dealt_to({2, 0, ""}, 4) == Turns{2});
}

TEST_CASE("the drop-in itself is never used as CPU BLAS, under any name") {
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

TEST_CASE("the plain loop computes a GEMM") {
  check_product(multiply_in_plain_loop);
}

TEST_CASE("every installed CPU BLAS is found by name, and computes a GEMM") {
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

TEST_CASE("the summary says how many calls ran on which side") {
  forget_calls();
  CHECK_FALSE(has_calls());
  CHECK(summary({}).empty());
  {
    const ScopedVariable child("CLGEMM_BLAS_FIRST_PROCESS", "1");
    expect_calls();
    CHECK(summary({}).empty());
  }
  expect_calls();
  CHECK(contains(summary({}), "blas_inside_test did not call SGEMM"));
  count_device_call({2.0, 1.0}, 1);
  count_device_call({2.0, 2.5}, 1);
  count_cpu_call(0.5);
  count_preparation(0.25);
  count_preparation(0.5);
  count_device_failure("first reason");
  count_device_failure("second reason");
  const Surroundings gpu{"some device", "not this", true, "/lib/some_blas"};
  const std::string text = summary(gpu);
  CHECK(contains(text, "2 calls, 4.000 s on some device; 25 % of this is for transfers"));
  CHECK(contains(text, "0.750 s for opening the device and compiling"));
  CHECK(contains(text, "1 calls, 0.500 s on the CPU by /lib/some_blas"));
  CHECK_FALSE(contains(text, "batches"));
  CHECK_FALSE(contains(text, "not this"));
  CHECK(contains(text, "2 of these calls began on the device and failed there: first reason"));
  count_device_call({1.0, 1.0}, 100);
  const Surroundings in_place{"some CPU", {}, false, {}};
  CHECK(contains(summary(in_place), "3 calls, 5.000 s on some CPU\n"));
  CHECK(contains(summary(in_place), "1 of these calls were batches, with 100 GEMMs each on average"));
  CHECK(contains(summary(in_place), "on the CPU by a plain loop"));
}

TEST_CASE("the summary says why there was no device") {
  forget_calls();
  count_cpu_call(0.5);
  CHECK(contains(summary({{}, "some reason", false, {}}), "no device was opened: some reason\n"));
}

TEST_CASE("child processes count from zero, even if another thread counts during the fork") {
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
      ::_exit(contains(summary({}), " 1 calls, 0.500 s on the CPU") ? 0 : 1);
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
