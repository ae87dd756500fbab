// --prepare: what clgemm may choose on a device, compiled and tested before anybody needs it.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/device.hpp"
#include "choose/tuning.hpp"
#include "kernel/config_cache.hpp"
#include "tune/options.hpp"

namespace clgemm::tune {

// Returns the program's exit status.
int prepare(const TuneOptions& options);

// The life of a process that prepares shapes, one for each line of standard input.
void run_preparing_worker(const std::string& device, const std::string& kernel_folder);

// What the calls of `count` calibrated shapes may look like: in all transposes, with and without gaps between
// the lines.
std::vector<SgemmShape> called_shapes(DeviceKind kind, std::size_t count, std::uint64_t seed);

// The programs that calls need, one shape after the other, if the first choice for each of them works.
class NeededPrograms {
 public:
  NeededPrograms(const Device& device, const std::string& kernel_folder);

  // As a Context would choose, which probes a device without rows at first use.
  void probe_if_needed(const cl::Device& device);

  // Returns how many programs this shape needs that no shape before it did.
  std::size_t add(const SgemmShape& shape);

  std::size_t count() const { return programs_.size(); }

 private:
  const Device device_;
  ConfigCache configs_;
  Tuning tuning_;
  std::set<std::pair<const KernelFile*, std::string>> programs_;  // what each is compiled from, and how
};

}  // namespace clgemm::tune
