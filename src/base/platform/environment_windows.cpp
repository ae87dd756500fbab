#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/environment.hpp"

namespace clgemm {
namespace {

std::wstring wide(const std::string& text) {
  return std::filesystem::path(text).wstring();
}

}  // namespace

// Uses the encoding of std::filesystem::path. With some compilers getenv() has another one.
std::string environment(const char* name) {
  const wchar_t* value = ::_wgetenv(wide(name).c_str());
  if (value == nullptr) return "";
  try {
    return std::filesystem::path(value).string();
  } catch (const std::system_error&) {
    return "";  // this encoding does not have these characters
  }
}

void set_environment(const char* name, const std::string& value) {
  ::_wputenv_s(wide(name).c_str(), wide(value).c_str());
}

void unset_environment(const char* name) {
  ::_wputenv_s(wide(name).c_str(), L"");
}

bool runs_with_foreign_rights() {
  return false;
}

}  // namespace clgemm
