// --check: builds, runs and checks every config of the space, or a seeded sample. One config of each kernel
// is checked in all ways, the others each in one of them. It writes nothing, so a run that was stopped starts
// again from the beginning.
#include <fmt/format.h>

#include <cstdio>
#include <set>

#include "base/printable.hpp"
#include "common/interrupt.hpp"
#include "common/progress.hpp"
#include "common/say.hpp"
#include "tune/actions/run_setup.hpp"
#include "tune/actions/tuner.hpp"
#include "tune/measuring/measurer.hpp"

namespace clgemm::tune {
namespace {

// A kernel may be wrong in one way only, for example if it ignores a transpose, and it may have only one
// config.
std::vector<std::size_t> turns_of(const Config& config, std::size_t number, std::set<std::string>& kernels) {
  const bool is_first = kernels.insert(config.kernel).second;
  return is_first ? std::vector<std::size_t>{0, 1, 2, 3, 4} : std::vector{number};
}

}  // namespace

int check_configs(const TuneOptions& options) {
  RunSetup setup(options);
  const bench::InterruptNoted noted;
  const OwnCaches caches(setup.output);
  Measurer measurer(options, nullptr);
  const std::vector<Config> configs =
      random_sample(setup.spaces, options.search.samples, options.search.seed);
  std::size_t checked = 0;
  std::size_t failed = 0;
  std::size_t refused = 0;
  bench::Progress progress;
  std::set<std::string> kernels;
  for (const bench::Size& size : setup.sizes) {
    for (const Config& config : configs) {
      progress.show(fmt::format("{}: {} of {} configs, {} failed, {}", to_string(size), checked,
                                configs.size() * setup.sizes.size(), failed, config.kernel));
      const auto outcome = measurer.check({size, config, Care::quick}, turns_of(config, checked, kernels));
      if (!outcome) {
        bench::say("clgemm-tune", "stopped");
        return bench::interrupted_status();
      }
      ++checked;
      if (outcome->is_right()) continue;
      if (outcome->is_refused()) {
        ++refused;
        continue;
      }
      ++failed;
      progress.clear();
      fmt::print("FAILED {} at {}: {}\n", to_string(config), to_string(size), printable(outcome->failure));
      std::fflush(stdout);
    }
  }
  progress.clear();
  fmt::print("{} of {} configs PASSED on {}", checked - failed - refused, checked, setup.device.name);
  fmt::print("{}\n", refused == 0
                         ? ""
                         : fmt::format("; {} were rejected after compilation because of the device's limits",
                                       refused));
  return failed == 0 ? all_is_well : something_failed;
}

}  // namespace clgemm::tune
