// --prepare: compiles and tests the programs that clgemm may choose on a device, before they are needed.
#pragma once

#include <clgemm/clgemm.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/device.hpp"
#include "choose/tuning.hpp"
#include "kernel/config_cache.hpp"
#include "tune/command_line/options.hpp"

namespace clgemm::tune {

// Returns the program's exit status.
int prepare(const TuneOptions& options);

// Prepares shapes in a process of its own, one for each line of standard input.
void run_preparing_worker(const std::string& device, const std::string& kernel_folder);

// Returns the calls of `count` calibrated shapes: with all transposes, and with and without gaps between the
// lines.
std::vector<SgemmShape> called_shapes(DeviceKind kind, std::size_t count, std::uint64_t seed);

// Collects the programs that calls need, one shape after another, if the first choice for each of them works.
class NeededPrograms {
 public:
  NeededPrograms(const Device& device, const std::string& kernel_folder);

  // Probes a device without rows, as a Context does at first use.
  void probe_if_needed(const cl::Device& device);

  // Returns the shapes that need a program that no previous shape needed. Works on all cores.
  std::vector<SgemmShape> add(const std::vector<SgemmShape>& shapes);

  std::size_t count() const { return programs_.size(); }

  const Device& device() const { return device_; }

  // Calls body(config) for each program.
  template <class Body>
  void for_each(const Body& body) const {
    for (const auto& [text, config] : programs_) body(*config);
  }

 private:
  std::vector<SharedConfig> programs_of(const SgemmShape& shape, ConfigCache& configs) const;

  const Device device_;
  const std::string kernel_folder_;
  Tuning tuning_;
  std::map<std::pair<std::string, std::string>, SharedConfig> programs_;  // by kernel and build options
};

}  // namespace clgemm::tune
