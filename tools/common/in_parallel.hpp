// Runs a loop over independent parts on all threads of the machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace clgemm::bench {

// Calls `work` for 0 ... count - 1. It must not throw.
template <class Work>
void in_parallel(std::size_t count, const Work& work) {
  const std::size_t threads = std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> running;
  for (std::size_t first = 0; first < threads; ++first) {
    running.emplace_back([first, threads, count, &work] {
      for (std::size_t i = first; i < count; i += threads) work(i);
    });
  }
}

}  // namespace clgemm::bench
