#include "base/platform/machine.hpp"

#include <filesystem>

#include "base/platform/windows_api.hpp"

namespace clgemm {
namespace {

double seconds_of(const FILETIME& time) {
  const ULONGLONG units = (ULONGLONG{time.dwHighDateTime} << 32U) | time.dwLowDateTime;
  return 1e-7 * static_cast<double>(units);
}

}  // namespace

std::optional<ProcessorTimes> processor_times() {
  FILETIME idle = {};
  FILETIME system = {};  // includes the idle time
  FILETIME user = {};
  if (::GetSystemTimes(&idle, &system, &user) == 0) return std::nullopt;
  const double all = seconds_of(system) + seconds_of(user);
  return ProcessorTimes{all, all - seconds_of(idle)};
}

double processor_seconds_of_ours() {
  FILETIME begin = {};
  FILETIME end = {};
  FILETIME system = {};
  FILETIME user = {};
  if (::GetProcessTimes(::GetCurrentProcess(), &begin, &end, &system, &user) == 0) return 0.0;
  return seconds_of(system) + seconds_of(user);
}

double processor_milliseconds() {
  return processor_seconds_of_ours() * 1e3;
}

std::string processor_name() {
  wchar_t name[256] = {};
  DWORD bytes = sizeof name;
  if (::RegGetValueW(HKEY_LOCAL_MACHINE, L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0",
                     L"ProcessorNameString", RRF_RT_REG_SZ, nullptr, name, &bytes) != ERROR_SUCCESS)
    return {};
  return std::filesystem::path(name).string();
}

double processor_mhz() {
  return 0.0;
}

}  // namespace clgemm
