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

// In the encoding that std::filesystem::path takes, which is not getenv()'s with every compiler.
std::string environment(const char* name) {
  const wchar_t* value = ::_wgetenv(wide(name).c_str());
  if (value == nullptr) return "";
  try {
    return std::filesystem::path(value).string();
  } catch (const std::system_error&) {
    return "";  // characters that this encoding does not have
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
