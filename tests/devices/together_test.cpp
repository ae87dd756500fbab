// Several jobs at the same time, and the log lines during the wait.
#include "devices/together.hpp"

#include <atomic>
#include <thread>

#include "base/log.hpp"
#include "support/catch.hpp"
#include "support/system.hpp"
#include "support/temporary.hpp"

namespace clgemm {
namespace {

using namespace std::chrono_literals;

TEST_CASE("the log names only the device that the call waits for") {
  const test::ScopedVariable variable("CLGEMM_LOG", "info");
  if (!logs(LogLevel::info)) {
    WARN("NOT TESTED: CLGEMM_LOG was read before");
    return;
  }
  const std::vector<Job> jobs = {{"quick", [] {}}, {"slow", [] { std::this_thread::sleep_for(200ms); }}};
  const std::string text = test::stderr_of([&] { run_together(jobs, 50ms); });
  CHECK(text.find("clgemm: waiting for slow for 0.") == 0);
  CHECK(text.find("quick") == std::string::npos);
  CHECK(test::stderr_of([&] { run_together(jobs); }).empty());
  const std::string of_one = test::stderr_of([&] { run_together({jobs.back()}, 50ms); });
  CHECK(of_one.find("clgemm: waiting for slow for 0.") == 0);
}

TEST_CASE("all jobs run at the same time") {
  std::atomic<int> there = 0;
  const Job job{"device", [&] {
                  ++there;
                  while (there < 3) std::this_thread::yield();
                }};
  run_together({job, job, job});
  CHECK(there == 3);
  run_together({{"alone", [&] { ++there; }}});
  CHECK(there == 4);
}

}  // namespace
}  // namespace clgemm
