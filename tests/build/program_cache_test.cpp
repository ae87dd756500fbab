// Programs are built once, by the first thread that needs them.
#include "build/program_cache.hpp"

#include <atomic>
#include <set>
#include <thread>

#include "support/made_up.hpp"
#include "support/on_device.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::made_up_kernel;
using test::shared_device_info;

constexpr int thread_count = 8;

const std::string manifest =
    "// clgemm: mine\n// summary: s\n// operands: in_place\n// param: SIDE = 4 in 4 8\n// tile: SIDE SIDE 1\n"
    "// local: SIDE SIDE\n// grid: columns rows\n\n";
const std::string arguments =
    "(const int m, const int n, const int k, const float alpha,\n"
    "  __global const float* a, const ulong a_offset, const ulong lda, const ulong a_stride,\n"
    "  __global const float* b, const ulong b_offset, const ulong ldb, const ulong b_stride, const float "
    "beta,\n"
    "  __global float* c, const ulong c_offset, const ulong ldc, const ulong c_stride) {}\n";

std::shared_ptr<const KernelConfig> config_of(const std::string& source, const Parameters& values = {}) {
  return std::make_shared<KernelConfig>(
      configure(made_up_kernel(manifest + source), values, shared_device_info()));
}

// A cache with an empty folder on disk, so that every program is built.
struct Cache {
  test::TemporaryFolder folder;
  ProgramCache programs{test::shared_cl_context(), test::shared_device(), shared_device_info(),
                        DiskCache(folder.path(), 1 << 20)};

  std::shared_ptr<BuiltKernel> get(const std::shared_ptr<const KernelConfig>& config) {
    return programs.get(config, Purpose::named);
  }
};

// Runs `body` on 8 threads that start together.
template <class Body>
void on_threads(Body body) {
  std::atomic<int> waiting{thread_count};
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) {
    threads.emplace_back([&, i] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      body(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_CASE("threads that want the same program at once share one build") {
  Cache cache;
  // The comment is unique. Otherwise the driver's cache would make a second build too fast to notice.
  const auto config = config_of("// shared build\n__kernel void gemm" + arguments);
  std::vector<std::shared_ptr<BuiltKernel>> built(thread_count);
  on_threads([&](int i) { built[static_cast<std::size_t>(i)] = cache.get(config); });
  // A second build would be a different object.
  CHECK(std::set<std::shared_ptr<BuiltKernel>>(built.begin(), built.end()).size() == 1);
  CHECK(built[0] != nullptr);
  CHECK(cache.get(config) == built[0]);
}

TEST_CASE("equal macros of one file give one program, and other macros another") {
  Cache cache;
  const NamedKernel kernel = made_up_kernel(
      manifest + "__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void gemm" + arguments);
  const auto get = [&](const Parameters& values) {
    return cache.get(std::make_shared<KernelConfig>(configure(kernel, values, shared_device_info())));
  };
  CHECK(get({}) == get({{"SIDE", 4}}));
  CHECK(get({}) != get({{"SIDE", 8}}));
}

TEST_CASE("a failed build fails for all waiting threads, with the log, and is tried again") {
  Cache cache;
  const auto config = config_of("__kernel void gemm(const int m) { nonsense; }\n");
  std::atomic<int> failures{0};
  on_threads([&](int) {
    try {
      cache.get(config);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::build_failed) ++failures;
    }
  });
  CHECK(failures == thread_count);
  CHECK_ERROR([&] { cache.get(config); }, build_failed, "nonsense");
}

TEST_CASE("a source without the kernel function of the contract is refused") {
  Cache cache;
  CHECK_ERROR([&] { cache.get(config_of("__kernel void other" + arguments)); }, invalid_kernel_file,
              "'gemm'");
  CHECK_ERROR([&] { cache.get(config_of("__kernel void gemm(const int m) {}\n")); }, invalid_kernel_file,
              "takes 1 arguments, but the contract (kernels/README.md) requires 17");
}

TEST_CASE("a work-group size that differs from the source is refused, with file and line") {
  Cache cache;
  CHECK_ERROR(
      [&] {
        cache.get(config_of("__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void gemm" + arguments));
      },
      invalid_kernel_file, "made_up.cl:6:");
  CHECK_NOTHROW(
      cache.get(config_of("__kernel __attribute__((reqd_work_group_size(4, 4, 1))) void gemm" + arguments)));
}

TEST_CASE("a leased kernel is used by only one thread") {
  Cache cache;
  const auto built = cache.get(config_of("__kernel void gemm" + arguments));
  {
    BuiltKernel::Lease one(built);
    BuiltKernel::Lease two(built);
    CHECK((*one)() != (*two)());
  }
  BuiltKernel::Lease again(built);
  CHECK((*again)() != nullptr);
}

}  // namespace
}  // namespace clgemm
