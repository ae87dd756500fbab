#include "peers/shared_library.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/platform/library.hpp"

namespace clgemm::bench {

SharedLibrary::SharedLibrary(std::span<const std::string> names) {
  std::string reasons;
  for (const std::string& name : names) {
    const LoadedLibrary loaded = load_library(name, Missing::refused);
    if (loaded.handle != nullptr) {
      handle_ = loaded.handle;
      name_ = name;
      return;
    }
    reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", loaded.problem);
  }
  throw std::runtime_error(reasons);
}

SharedLibrary::Function SharedLibrary::find(const char* function) const {
  return {function_of(handle_, function)};
}

SharedLibrary::Function SharedLibrary::get(const char* function) const {
  const Function found = find(function);
  if (found.address == nullptr)
    throw std::runtime_error(fmt::format("{} has no function {}", name_, function));
  return found;
}

}  // namespace clgemm::bench
