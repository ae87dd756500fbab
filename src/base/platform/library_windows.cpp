#include <filesystem>

#include "base/platform/library.hpp"
#include "base/platform/windows_api.hpp"

namespace clgemm {

LoadedLibrary load_library(const std::string& name, Missing) {
  const std::filesystem::path path(name);
  // A library with a full path finds its own dependencies in its folder.
  const DWORD how = path.is_absolute() ? LOAD_WITH_ALTERED_SEARCH_PATH : 0;
  LoadedLibrary result{reinterpret_cast<void*>(::LoadLibraryExW(path.c_str(), nullptr, how)), {}};
  if (result.handle == nullptr) result.problem = name + ": " + last_windows_error().message();
  return result;
}

void unload_library(void* handle) {
  ::FreeLibrary(static_cast<HMODULE>(handle));
}

void* function_of(void* handle, const char* name) {
  return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(handle), name));
}

std::string library_file_of(const void* function) {
  HMODULE library = nullptr;
  constexpr DWORD how = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (::GetModuleHandleExW(how, static_cast<const wchar_t*>(function), &library) == 0) return "";
  std::wstring path(32768, L'\0');
  path.resize(::GetModuleFileNameW(library, path.data(), static_cast<DWORD>(path.size())));
  return std::filesystem::path(path).string();
}

bool threads_end_before_libraries() noexcept {
  return true;
}

void* opencl_function(const char* name) {
  HMODULE const library = ::GetModuleHandleW(L"OpenCL.dll");
  return library == nullptr ? nullptr : reinterpret_cast<void*>(::GetProcAddress(library, name));
}

}  // namespace clgemm
