#include "kernel/config_cache.hpp"

namespace clgemm {

std::shared_ptr<const KernelConfig> ConfigCache::get(const std::string& kernel, const Parameters& overrides,
                                                     Transposed transposed) {
  const std::lock_guard lock(mutex_);
  const auto known = configs_.find(std::tie(kernel, overrides, transposed));
  if (known != configs_.end()) return known->second;
  auto config =
      std::make_shared<KernelConfig>(configure(library_.find(kernel), overrides, device_, transposed));
  configs_.emplace(std::tuple(kernel, overrides, transposed), config);
  return config;
}

}  // namespace clgemm
