// Makes a Context in the destructor of a static object that is older than clgemm's objects. Everything that
// clgemm reads must still exist then. It compiles no program, because PoCL's compiler (3.1) ends earlier.
// There is nothing to test if the driver itself no longer answers (Intel's CPU runtime 2026.2) or has no
// devices any more (NVIDIA's 580).
#include <sys/wait.h>
#include <unistd.h>

#include <clgemm/clgemm.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "base/device.hpp"
#include "choose/ranking.hpp"
#include "choose/tuning_files.hpp"
#include "kernel/config_cache.hpp"
#include "plan/blocks.hpp"
#include "plan/make_plan.hpp"

namespace {

// Uses everything that clgemm knows without the device: its kernels, its tuning data, its rules.
bool can_choose() {
  using namespace clgemm;
  const Context context;
  const Device device = describe(cl::Device(context.device(), true));
  const Problem problem{{1000, 1000, 1000}, 1, 0, {}, {}, {}};
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::gpu}) {
    Device one = device;
    one.kind = kind;
    ConfigCache configs(one, {});
    const Ranking ranking =
        rank_candidates(problem, configs, tuning_from_environment(), default_scratch_limit(one));
    if (ranking.candidates.size() < 2) return false;
    make_plan(problem, ranking.candidates[0].config, configs, default_scratch_limit(one));
  }
  return true;
}

bool asks_at_the_end = false;  // in a process that only asks the driver

bool driver_answers() {
  try {
    return clgemm::default_device().getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>() > 0;
  } catch (const std::exception&) {
    return false;
  }
}

struct LastUser {
  LastUser() = default;
  ~LastUser() {
    if (asks_at_the_end) std::_Exit(driver_answers() ? 0 : 1);
    if (!can_choose()) std::_Exit(1);
    std::puts("right at the end of the process");
  }
  LastUser(const LastUser&) = delete;
  LastUser& operator=(const LastUser&) = delete;
};
const LastUser last_user;

// Returns true if the driver still answers when objects are destroyed that are older than the driver.
bool driver_answers_at_the_end() {
  const pid_t child = ::fork();
  if (child == 0) {
    asks_at_the_end = driver_answers();
    std::exit(0);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main() {
  if (!driver_answers_at_the_end()) {
    std::puts("SKIPPED: this driver does not answer at the end of a process");
    std::fflush(stdout);
    std::_Exit(0);
  }
  return can_choose() ? 0 : 1;
}
