// A Context made in the destructor of a static object that is older than all of clgemm's: nothing that clgemm
// reads may be gone by then. What is not asked for is a compile: that of PoCL (3.1) ends before.
#include <clgemm/clgemm.hpp>
#include <cstdio>
#include <cstdlib>

#include "base/device.hpp"
#include "choose/ranking.hpp"
#include "choose/tuning_files.hpp"
#include "kernel/config_cache.hpp"
#include "plan/blocks.hpp"
#include "plan/make_plan.hpp"

namespace {

// All that clgemm knows without the device: its kernels, its tuning data, its rules.
bool can_choose() {
  using namespace clgemm;
  const Context context;
  const Device device = describe(cl::Device(context.device(), true));
  const Problem problem{1000, 1000, 1000, 1, 0, {}, {}, {}};
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

struct LastUser {
  LastUser() = default;
  ~LastUser() {
    if (!can_choose()) std::_Exit(1);
    std::puts("right at the end of the process");
  }
  LastUser(const LastUser&) = delete;
  LastUser& operator=(const LastUser&) = delete;
};
const LastUser last_user;

}  // namespace

int main() {
  return can_choose() ? 0 : 1;
}
