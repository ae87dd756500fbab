#include "command_line/cases.hpp"

#include "command_line/suites.hpp"
#include "common/find_or_add.hpp"

namespace clgemm::bench {
namespace {

void add_once(std::vector<Case>& all, const std::vector<Case>& more) {
  const auto is_same = [](const Case& one, const Case& other) {
    return one.size == other.size && one.kind == other.kind;
  };
  for (const Case& one : more) find_or_add(all, one, is_same);
}

}  // namespace

cl::Device device_of(const BenchOptions& options) {
  return options.devices.empty() ? default_device() : find_devices(options.devices.front()).front();
}

std::vector<Case> cases_of(const BenchOptions& options, const Device& device) {
  std::vector<Case> all;
  for (const Size& size : options.sizes) add_once(all, {{size, options.kind, {}}});
  for (const std::string& name : options.suites) add_once(all, cases_of_suite(name, options.kind, device));
  if (options.random.count > 0) add_once(all, random_cases(options.random, options.kind, device.kind));
  return all;
}

}  // namespace clgemm::bench
