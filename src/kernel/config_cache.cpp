#include "kernel/config_cache.hpp"

namespace clgemm {

std::shared_ptr<const KernelConfig> ConfigCache::get(const std::string& kernel, const Parameters& overrides) {
  const std::lock_guard lock(mutex_);
  const auto known = configs_.find(std::tie(kernel, overrides));
  if (known != configs_.end()) return known->second;
  auto config = std::make_shared<KernelConfig>(configure(library_.find(kernel), overrides, device_));
  configs_.emplace(std::tuple(kernel, overrides), config);
  return config;
}

}  // namespace clgemm
