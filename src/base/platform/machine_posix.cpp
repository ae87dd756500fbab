#include "base/platform/machine.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>

namespace clgemm {
namespace {

double seconds_of(int who) {
  rusage usage = {};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

// Reads "cpu  user nice system idle iowait irq softirq steal ...", in ticks since the system's start.
std::optional<ProcessorTimes> processor_times() {
  std::ifstream file("/proc/stat");
  std::string name;
  double ticks[8] = {};
  file >> name;
  for (double& value : ticks) file >> value;
  const double a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  if (!file || name != "cpu" || a_second <= 0.0) return std::nullopt;
  ProcessorTimes times;
  for (const double value : ticks) times.all += value / a_second;
  times.busy = times.all - (ticks[3] + ticks[4]) / a_second;
  return times;
}

double processor_seconds_of_ours() {
  return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
}

double processor_milliseconds() {
  timespec time = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

// Reads the first "model name" of Linux's list. Processors that are not x86 may have none.
std::string processor_name() {
  std::ifstream list("/proc/cpuinfo");
  for (std::string line; std::getline(list, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

double processor_mhz() {
  std::ifstream list("/proc/cpuinfo");
  double most = 0.0;
  for (std::string line; std::getline(list, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("cpu MHz") && colon != std::string::npos)
      most = std::max(most, std::strtod(line.c_str() + colon + 2, nullptr));
  }
  return most;
}

}  // namespace clgemm
