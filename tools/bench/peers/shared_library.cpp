#include "peers/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

namespace clgemm::bench {

SharedLibrary::SharedLibrary(std::span<const std::string> names) {
  std::string reasons;
  for (const std::string& name : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      name_ = name;
      return;
    }
    reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", dlerror());
  }
  throw std::runtime_error(reasons);
}

void* SharedLibrary::address(const char* function) const {
  return dlsym(handle_, function);
}

void* SharedLibrary::needed_address(const char* function) const {
  void* const result = address(function);
  if (result == nullptr) throw std::runtime_error(fmt::format("{} has no function {}", name_, function));
  return result;
}

}  // namespace clgemm::bench
