// Makes 10,000 calls of mixed shapes. Neither the number of live OpenCL objects nor the resident memory may
// exceed the maximum of the first 100 calls.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "live_objects.hpp"
#include "mixed_calls.hpp"

namespace {

constexpr std::size_t first_calls = 100;
constexpr std::size_t all_calls = 10000;
constexpr std::size_t shapes = 60;        // each of them occurs in the first calls
constexpr double allowed_growth_mib = 8;  // the variation of the allocator

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

}  // namespace

int main() {
  using namespace clgemm::test;
  clgemm::Context context;
  std::vector<MixedCall> calls;
  for (std::size_t i = 0; i < shapes; ++i) calls.push_back(make_mixed_call(i));

  // This number varies, because the events that are kept depend on which scratch is free when a call begins.
  long most_at_first = 0;
  double memory_at_first = 0;
  for (std::size_t i = 1; i <= all_calls; ++i) {
    if (!run_on_host(context, calls[i % shapes])) {
      std::printf("call %zu: wrong result\n", i);
      return 1;
    }
    if (i <= first_calls) most_at_first = std::max(most_at_first, live_objects().total());
    if (i != first_calls && i % 2500 != 0) continue;
    std::printf("after %5zu calls: live objects %s, resident memory %.1f MiB\n", i,
                describe(live_objects()).c_str(), resident_mib());
    if (i == first_calls) memory_at_first = resident_mib();
  }
  const bool objects_grew = live_objects().total() > most_at_first;
  const bool memory_grew = resident_mib() > memory_at_first + allowed_growth_mib;
  if (objects_grew) std::printf("live objects grew\n");
  if (memory_grew) std::printf("resident memory grew by more than %.0f MiB\n", allowed_growth_mib);
  return objects_grew || memory_grew ? 1 : 0;
}
