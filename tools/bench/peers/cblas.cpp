// A BLAS of the host, called through its C interface: OpenBLAS, or any library that has cblas_sgemm.
//
// It works on copies of the same data in the host's memory, in the layout of the call, and is timed by the
// host's clock.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "base/environment.hpp"
#include "base/platform/machine.hpp"
#include "peers/blas_values.hpp"
#include "peers/peer.hpp"
#include "peers/shared_library.hpp"

namespace clgemm::bench {
namespace {

// From cblas.h, whose enumerations are ints.
using CblasSgemm = void(int layout, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                        const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);

// Idle workers spin: OpenBLAS's for 2^26 ticks by default, those of Intel's OpenMP for 200 ms. Meanwhile they
// take the cores from the next contestant, which then seems half as fast. So OpenBLAS's workers are told to
// sleep after 2^20 ticks, and the next run waits until all workers of any library sleep.
constexpr const char* thread_timeout = "20";
constexpr std::chrono::milliseconds glance(2);
constexpr std::chrono::milliseconds longest_wait(1000);
constexpr double resting_part = 0.1;  // of one core

void wait_until_threads_rest() {
  const auto start = std::chrono::steady_clock::now();
  while (ms_since(start) < static_cast<double>(longest_wait.count())) {
    const double before = processor_milliseconds();
    const double ms = ms_of([] { std::this_thread::sleep_for(glance); });
    if (processor_milliseconds() - before < resting_part * ms) return;
  }
}

class CblasContestant final : public Contestant {
 public:
  CblasContestant(CblasSgemm* sgemm, const DeviceData& data)
      : sgemm_(sgemm), call_(data.call()), copies_(data.copies(), data.stored()), c_(data.stored().c) {}

  RunTimes run() override {
    current_ = (current_ + 1) % copies_.size();
    copies_[current_].c = c_;
    const double ms = ms_of([&] { multiply(copies_[current_]); });
    wait_until_threads_rest();
    return {.operation_ms = 0.0, .call_ms = ms, .launches = 0};
  }

  std::vector<float> result() override { return c_as_row_major(call_, copies_[current_].c); }

  // It works from host to host anyway.
  HostRun run_host_to_host() override {
    const double ms = run().call_ms;
    return {ms, result()};
  }

 private:
  // CBLAS has no batches, so its users call it repeatedly.
  void multiply(StoredMatrices& matrices) const {
    for (std::size_t i = 0; i < call_.batch_count; ++i) {
      sgemm_(blas_layout(call_.layout), blas_transpose(call_.transpose_a), blas_transpose(call_.transpose_b),
             blas_size(call_.m), blas_size(call_.n), blas_size(call_.k), call_.alpha,
             &matrices.a[i * call_.stride_a], blas_size(call_.lda), &matrices.b[i * call_.stride_b],
             blas_size(call_.ldb), call_.beta, &matrices.c[i * call_.stride_c], blas_size(call_.ldc));
    }
  }

  CblasSgemm* sgemm_;
  SgemmCall call_;
  std::vector<StoredMatrices> copies_;
  std::vector<float> c_;  // the initial C
  std::size_t current_ = 0;
};

// Returns the number of workers that it may use: as many as the OpenCL device has if that is the host's
// processor.
int thread_count(const cl::Device& device) {
  if ((device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) != 0) {
    return static_cast<int>(device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  }
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

// Returns the kernels of OpenBLAS for this processor. By default, a release treats a processor that is newer
// than itself like one of 2004. Here, the instruction set decides. Empty if it is unknown.
std::string core_type() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    return "SkylakeX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return {};
}

// Sets the variables that OpenBLAS reads when it is loaded, unless the user has set them.
void prepare_environment() {
  const auto set = [](const char* name, const std::string& value) {
    if (!value.empty() && std::getenv(name) == nullptr) set_environment(name, value);
  };
  set("OPENBLAS_CORETYPE", core_type());
  set("OPENBLAS_THREAD_TIMEOUT", thread_timeout);
}

}  // namespace

std::vector<Peer> make_cblas(const PeerRequest& request, const cl::Device& device) {
  prepare_environment();
  std::vector<std::string> names = {request.value};
  if (request.value.empty()) names = {"libopenblas.so.0", "libopenblas.so"};
  const SharedLibrary library(names);
  CblasSgemm* const sgemm = library.get("cblas_sgemm");
  Peer peer{
      {request.name, std::filesystem::path(library.name()).filename().string(), "the library's default", {}},
      [sgemm](const DeviceData& data) { return std::make_unique<CblasContestant>(sgemm, data); }};
  // Functions by which OpenBLAS describes itself. Other libraries have none of them.
  const char* (*get_config)() = library.find("openblas_get_config");
  const char* (*core_name)() = library.find("openblas_get_corename");
  void (*set_threads)(int) = library.find("openblas_set_num_threads");
  int (*threads)() = library.find("openblas_get_num_threads");
  if (get_config == nullptr) return {peer};
  const std::string config = get_config();
  if (config.find("USE64BITINT") != std::string::npos) {
    throw std::runtime_error(library.name() + " is built for 64-bit integers");
  }
  // "OpenBLAS 0.3.21 ..."
  const std::size_t number = config.find(' ') + 1;
  peer.unmeasured.version = config.substr(number, config.find(' ', number) - number);
  if (set_threads != nullptr && std::getenv("OPENBLAS_NUM_THREADS") == nullptr) {
    set_threads(thread_count(device));
  }
  peer.unmeasured.settings =
      fmt::format("{}; core {}, threads {}", config, core_name != nullptr ? core_name() : "unknown",
                  threads != nullptr ? threads() : 0);
  return {peer};
}

}  // namespace clgemm::bench
