#include "running/machine_load.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace clgemm::bench {
namespace {

double seconds_of(int who) {
  rusage usage = {};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

MachineLoad::MachineLoad() : start_(now()) {}

std::optional<double> MachineLoad::part_of_others() const {
  const std::optional<Times> end = now();
  if (!start_ || !end || end->all <= start_->all) return std::nullopt;
  const double others = (end->busy - start_->busy) - (end->own - start_->own);
  return std::max(0.0, others / (end->all - start_->all));
}

// "cpu  user nice system idle iowait irq softirq steal ...", in ticks since the system's start.
std::optional<MachineLoad::Times> MachineLoad::now() {
  std::ifstream file("/proc/stat");
  std::string name;
  double ticks[8] = {};
  file >> name;
  for (double& value : ticks) file >> value;
  const double a_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  if (!file || name != "cpu" || a_second <= 0.0) return std::nullopt;
  Times times;
  for (const double value : ticks) times.all += value / a_second;
  times.busy = times.all - (ticks[3] + ticks[4]) / a_second;
  times.own = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
  return times;
}

}  // namespace clgemm::bench
