#include "kernel/config_cache.hpp"

namespace clgemm {

std::shared_ptr<const KernelConfig> ConfigCache::get(const std::string& kernel, const Parameters& overrides,
                                                     const Parameters& macros) {
  const std::lock_guard lock(mutex_);
  auto& config = configs_[{kernel, overrides, macros}];
  if (!config) {
    config = std::make_shared<KernelConfig>(configure(library_.find(kernel), overrides, macros, device_));
  }
  return config;
}

}  // namespace clgemm
