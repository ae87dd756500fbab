// A program with a slow CPU BLAS, as the drop-in sees it. The CPU BLAS serves the calls while the device is
// opened and compiles. Then the device takes over. The program may end at any moment of this.
//
//     learning_test           until the device serves
//     learning_test fast      after some fast calls, which show that the CPU BLAS is not slow
//     learning_test exit N    ends N * 20 ms after the background has begun
//     learning_test exits N   starts itself so for all of 0 to N - 1
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "blas/blas_names.h"

namespace {

constexpr int side = 64;
constexpr double cpu_seconds = 0.5;  // time of sleeping_blas for `side` columns

// Multiplies matrices of ones. Returns the seconds, or ends the process if the result is wrong.
double multiply(int columns) {
  const std::vector<float> ones(static_cast<std::size_t>(side * columns), 1.0f);
  std::vector<float> c(ones.size());
  const float one = 1.0f;
  const float zero = 0.0f;
  const auto start = std::chrono::steady_clock::now();
  sgemm_("N", "N", &side, &columns, &side, &one, ones.data(), &side, ones.data(), &side, &zero, c.data(),
         &side);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (c == std::vector<float>(c.size(), float{side})) return seconds.count();
  std::fprintf(stderr, "a result is wrong\n");
  std::_Exit(EXIT_FAILURE);
}

// Makes 32 seconds of SGEMM in half a second. This is enough for the device to be opened, and for a first
// compilation.
void multiply_on_many_threads() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 64; ++i) threads.emplace_back([] { multiply(side); });
  for (std::thread& thread : threads) thread.join();
}

int until_device_serves() {
  const auto start = std::chrono::steady_clock::now();
  int fast = 0;
  while (std::chrono::steady_clock::now() - start < std::chrono::seconds(90)) {
    fast = multiply(side) < cpu_seconds ? fast + 1 : 0;
    if (fast == 10) return EXIT_SUCCESS;
    if (fast == 0) multiply_on_many_threads();
  }
  std::fprintf(stderr, "the device never served\n");
  return EXIT_FAILURE;
}

int exits(const char* program, int count) {
  int failures = 0;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);
      ::execl(program, program, "exit", number.c_str(), nullptr);
      ::_exit(127);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    if (status == 0) continue;
    ++failures;
    std::fprintf(stderr, "exit %d: status %d, signal %d\n", i, WEXITSTATUS(status), WTERMSIG(status));
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 1) return until_device_serves();
  if (count == 2) {
    for (int i = 0; i < 5; ++i) multiply(side + 2);
    for (int i = 0; i < 2; ++i) multiply_on_many_threads();
    return EXIT_SUCCESS;
  }
  const int number = std::atoi(arguments[2]);
  if (std::string(arguments[1]) == "exits") return exits(arguments[0], number);
  multiply_on_many_threads();
  for (int i = 0; i <= number; ++i) multiply(side + 1);
  return EXIT_SUCCESS;
}
