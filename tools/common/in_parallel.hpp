// Runs a loop over independent parts on all threads of the machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace clgemm::bench {

// Calls `work` for 0 ... count - 1. If some calls throw, it throws the exception of one of them, after the
// other threads have ended.
template <class Work>
void in_parallel(std::size_t count, const Work& work) {
  const std::size_t threads = std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::future<void>> running;  // the destructor of each waits for its thread
  for (std::size_t first = 0; first < threads; ++first) {
    running.push_back(std::async(std::launch::async, [first, threads, count, &work] {
      for (std::size_t i = first; i < count; i += threads) work(i);
    }));
  }
  for (std::future<void>& one : running) one.get();
}

}  // namespace clgemm::bench
