// The additional time of a call that stays on the CPU, with the drop-in compared with the CPU BLAS alone.
// Prints both times, and fails if the difference is above one microsecond.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "blas/blas_names.h"

namespace {

constexpr int skipped = 77;  // CTest shows this status as "Skipped"
constexpr double most_seconds = 1e-6;

// Both are measured alternately, and the least time of each counts, because the machine is shared.
constexpr int turns = 200;
constexpr int calls_a_turn = 100;

double seconds_of_call(decltype(&sgemm_) multiply, int side, const std::vector<float>& ones,
                       std::vector<float>& c) {
  const float one = 1.0f;
  const float zero = 0.0f;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls_a_turn; ++i)
    multiply("N", "N", &side, &side, &side, &one, ones.data(), &side, ones.data(), &side, &zero, c.data(),
             &side);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls_a_turn;
}

}  // namespace

int main() {
  void* const library = dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library == nullptr) {
    std::fprintf(stderr, "SKIPPED: %s\n", dlerror());
    return skipped;
  }
  auto* const alone = reinterpret_cast<decltype(&sgemm_)>(dlsym(library, "sgemm_"));
  int status = EXIT_SUCCESS;
  for (const int side : {4, 16, 32, 80}) {  // calls of 64 and more are timed to learn from them
    const std::vector<float> ones(static_cast<std::size_t>(side * side), 1.0f);
    std::vector<float> c(ones.size());
    double with_drop_in = 1.0;
    double without = 1.0;
    for (int turn = 0; turn < turns; ++turn) {
      without = std::min(without, seconds_of_call(alone, side, ones, c));
      with_drop_in = std::min(with_drop_in, seconds_of_call(&sgemm_, side, ones, c));
    }
    std::printf("%2d x %2d: %.3f us alone, %.3f us through the drop-in\n", side, side, without * 1e6,
                with_drop_in * 1e6);
    if (with_drop_in > without + most_seconds) status = EXIT_FAILURE;
  }
  return status;
}
