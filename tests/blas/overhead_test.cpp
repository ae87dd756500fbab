// What a call that stays on the CPU costs more through the drop-in than without it. Prints both; fails above
// one microsecond.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "blas/blas_names.h"

namespace {

constexpr int skipped = 77;  // CTest shows this status as "Skipped"
constexpr int calls = 20000;
constexpr double most_seconds = 1e-6;

// Of a call, the least of many rounds: others use this machine, too.
template <class Multiply>
double seconds(Multiply* multiply, int side, double& least) {
  const std::vector<float> ones(static_cast<std::size_t>(side * side), 1.0f);
  std::vector<float> c(ones.size());
  constexpr int rounds = 20;
  const int size = side;
  const float one = 1.0f;
  const float zero = 0.0f;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls / rounds; ++i)
      multiply("N", "N", &size, &size, &size, &one, ones.data(), &size, ones.data(), &size, &zero, c.data(),
               &size);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count() * rounds / calls);
  }
  return least;
}

}  // namespace

int main() {
  void* const library = dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library == nullptr) return skipped;
  auto* const alone = reinterpret_cast<decltype(&sgemm_)>(dlsym(library, "sgemm_"));
  int status = EXIT_SUCCESS;
  for (const int side : {4, 16, 64}) {
    double with_drop_in = 1.0;
    double without = 1.0;
    for (int turn = 0; turn < 3; ++turn) {
      seconds(alone, side, without);
      seconds(&sgemm_, side, with_drop_in);
    }
    std::printf("%2d x %2d: %.3f us alone, %.3f us through the drop-in\n", side, side, without * 1e6,
                with_drop_in * 1e6);
    // The larger call varies more by itself than the drop-in adds.
    if (with_drop_in > without * 1.05 + most_seconds) status = EXIT_FAILURE;
  }
  return status;
}
