// Keeps kernel configs by name and values. Each is made once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "base/device_facts.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm {

// Any number of threads may use the same cache. The device must outlive it.
class ConfigCache {
 public:
  ConfigCache(const Device& device, const std::string& kernel_folder)
      : device_(device), cores_(peaks_of(device).cores), library_(kernel_folder) {}

  // Like configure(). Throws the errors of configure() and KernelLibrary::find().
  std::shared_ptr<const KernelConfig> get(const std::string& kernel, const Parameters& overrides,
                                          Transposed transposed = {});

  const Device& device() const { return device_; }

  // Returns the number of cores that run work-groups. OpenCL's compute units may be parts of a core.
  std::size_t cores() const { return cores_; }

 private:
  const Device& device_;
  const std::size_t cores_;
  KernelLibrary library_;
  std::mutex mutex_;
  std::map<std::tuple<std::string, Parameters, Transposed>, std::shared_ptr<const KernelConfig>, std::less<>>
      configs_;
};

}  // namespace clgemm
