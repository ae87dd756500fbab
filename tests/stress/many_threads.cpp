// 8 threads make 200 calls each of mixed shapes on one Context without compiled programs. This is for the
// thread sanitizer (preset tsan), but the results are checked in every build.
#include <atomic>
#include <cstdio>
#include <thread>

#include "mixed_calls.hpp"

namespace {

constexpr std::size_t thread_count = 8;
constexpr std::size_t calls_a_thread = 200;

}  // namespace

int main() {
  using namespace clgemm::test;
  clgemm::Context context;
  std::atomic<std::size_t> passed{0};
  std::atomic<std::size_t> failed{0};
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < thread_count; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t i = 0; i < calls_a_thread; ++i) {
        try {
          const bool is_right = run_on_host(context, make_mixed_call(thread * 31 + i));
          ++(is_right ? passed : failed);
        } catch (const clgemm::Error& error) {
          std::fprintf(stderr, "%s\n", error.what());
          ++failed;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%zu threads on one Context: %zu calls PASSED, %zu FAILED\n", thread_count, passed.load(),
              failed.load());
  return failed == 0 && passed == thread_count * calls_a_thread ? 0 : 1;
}
