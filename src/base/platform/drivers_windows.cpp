#include <filesystem>

#include "base/platform/drivers.hpp"
#include "base/platform/windows_api.hpp"

namespace clgemm {

std::vector<InstalledDriver> installed_drivers() {
  constexpr const wchar_t* place = L"SOFTWARE\\Khronos\\OpenCL\\Vendors";
  std::vector<InstalledDriver> result;
  HKEY key = nullptr;
  if (::RegOpenKeyExW(HKEY_LOCAL_MACHINE, place, 0, KEY_QUERY_VALUE, &key) != ERROR_SUCCESS) return result;
  for (DWORD i = 0;; ++i) {
    wchar_t name[1024];
    DWORD length = 1024;
    DWORD off = 1;  // 0: the loader loads this one
    DWORD bytes = sizeof off;
    DWORD type = 0;
    const LSTATUS status =
        ::RegEnumValueW(key, i, name, &length, nullptr, &type, reinterpret_cast<BYTE*>(&off), &bytes);
    if (status == ERROR_MORE_DATA) continue;  // not a number
    if (status != ERROR_SUCCESS) break;
    if (type != REG_DWORD || off != 0) continue;
    result.push_back({"HKEY_LOCAL_MACHINE\\" + std::filesystem::path(place).string(),
                      std::filesystem::path(std::wstring(name, length)).string()});
  }
  ::RegCloseKey(key);
  return result;
}

bool gathers_commands() {
  return true;
}

}  // namespace clgemm
