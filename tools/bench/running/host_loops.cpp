#include "running/host_loops.hpp"

#include <algorithm>
#include <chrono>

#include "common/clock.hpp"

namespace clgemm::bench {
namespace {

// Long enough for the clock, and too short to be noticed.
constexpr double sample_ms = 20.0;

// If beta == 0, C must not be read, because it may hold NaN.
float scaled_old(const SgemmCall& call, float old) {
  return call.beta == 0.0f ? 0.0f : call.beta * old;
}

}  // namespace

void plain_loop(const HostData& data, std::size_t rows, std::vector<float>& c) {
  const SgemmCall& call = data.call;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < call.n; ++j) {
      float sum = 0.0f;
      for (std::size_t p = 0; p < call.k; ++p) sum += data.a[i * call.k + p] * data.b[p * call.n + j];
      float& element = c[i * call.n + j];
      element = call.alpha * sum + scaled_old(call, element);
    }
  }
}

void cache_friendly_loop(const HostData& data, std::size_t rows, std::vector<float>& c) {
  const SgemmCall& call = data.call;
  for (std::size_t i = 0; i < rows; ++i) {
    float* row = &c[i * call.n];
    for (std::size_t j = 0; j < call.n; ++j) row[j] = scaled_old(call, row[j]);
    for (std::size_t p = 0; p < call.k; ++p) {
      const float factor = call.alpha * data.a[i * call.k + p];
      const float* b_row = &data.b[p * call.n];
      for (std::size_t j = 0; j < call.n; ++j) row[j] += factor * b_row[j];
    }
  }
}

double time_rows(const HostData& data, HostLoop* loop, std::size_t rows, std::vector<float>& c) {
  const auto start = std::chrono::steady_clock::now();
  loop(data, rows, c);
  return ms_since(start);
}

double predict_ms(const HostData& data, HostLoop* loop) {
  std::vector<float> c = data.c;
  std::size_t rows = 1;
  double ms = time_rows(data, loop, rows, c);
  while (ms < sample_ms && rows < data.call.m) {
    rows = std::min(2 * rows, data.call.m);
    ms = time_rows(data, loop, rows, c);
  }
  return ms * static_cast<double>(data.call.m) / static_cast<double>(rows);
}

}  // namespace clgemm::bench
