#include <dlfcn.h>

#include "base/platform/library.hpp"

namespace clgemm {

LoadedLibrary load_library(const std::string& name, Missing missing) {
  const int binding = missing == Missing::refused ? RTLD_NOW : RTLD_LAZY;
  LoadedLibrary result{::dlopen(name.c_str(), binding | RTLD_LOCAL), {}};
  if (result.handle != nullptr) return result;
  const char* const why = ::dlerror();
  result.problem = why == nullptr ? "" : why;
  return result;
}

void unload_library(void* handle) {
  ::dlclose(handle);
}

void* function_of(void* handle, const char* name) {
  return ::dlsym(handle, name);
}

std::string library_file_of(const void* function) {
  Dl_info info{};
  return ::dladdr(function, &info) == 0 || info.dli_fname == nullptr ? "" : info.dli_fname;
}

bool threads_end_before_libraries() noexcept {
  return false;
}

void* opencl_function(const char* name) {
  return ::dlsym(RTLD_NEXT, name);
}

}  // namespace clgemm
