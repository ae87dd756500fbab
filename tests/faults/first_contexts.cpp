// Eight threads that make the first Contexts of a process at once, so that they load the drivers; many
// processes, for few of them would fail.
#include <atomic>
#include <clgemm/clgemm.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int thread_count = 8;
constexpr int process_count = 8;

int make_contexts() {
  std::atomic<int> waiting{thread_count};
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) {
    threads.emplace_back([&] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      try {
        const clgemm::Context context;
        ++made;
      } catch (const clgemm::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return made == thread_count ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return make_contexts();
  int failed = 0;
  const std::string program = argv[0];
  for (int i = 0; i < process_count; ++i)
    if (std::system((program + " once").c_str()) != 0) ++failed;
  std::printf("%d processes whose first Contexts %d threads make at once: %d failed\n", process_count,
              thread_count, failed);
  return failed == 0 ? 0 : 1;
}
