#include "running/facts.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

namespace clgemm::bench {
namespace {

// The first "model name" of Linux's list; processors of other makers than x86's may have none.
std::string processor_name() {
  std::ifstream list("/proc/cpuinfo");
  for (std::string line; std::getline(list, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

// The highest clock of the host's cores at this moment, where Linux tells it.
std::string host_clock() {
  std::ifstream list("/proc/cpuinfo");
  double most = 0.0;
  for (std::string line; std::getline(list, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("cpu MHz") && colon != std::string::npos)
      most = std::max(most, std::strtod(line.c_str() + colon + 2, nullptr));
  }
  return most > 0.0 ? fmt::format("host {:.0f} MHz", most) : "";
}

std::string first_line_of(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<std::string> lines_of_command(const char* command) {
  std::vector<std::string> lines;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command, "r"), pclose);
  char line[512];
  while (pipe && std::fgets(line, sizeof line, pipe.get()) != nullptr) lines.emplace_back(line);
  return lines;
}

void add(std::string& all, const std::string& one) {
  if (!one.empty()) all += (all.empty() ? "" : "; ") + one;
}

}  // namespace

GpuState gpu_state(const std::string& device) {
  GpuState state;
  // A driver that hangs must not hang the run.
  for (const std::string& line :
       lines_of_command("timeout 5 nvidia-smi "
                        "--query-gpu=name,clocks.sm,clocks.max.sm,clocks.mem,pstate,power.draw,power.limit "
                        "--format=csv,noheader 2>/dev/null")) {
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest >> std::ws, cell, ',');) {
      cells.push_back(cell.substr(0, cell.find_last_not_of("\n") + 1));
    }
    if (cells.size() != 7 || cells[0] != device) continue;
    add(state.clocks, fmt::format("SM {} of {}, memory {}", cells[1], cells[2], cells[3]));
    add(state.power, fmt::format("{}, {} of {}", cells[4], cells[5], cells[6]));
  }
  return state;
}

Facts facts_now(const cl::Device& cl_device) {
  const Device device = describe(cl_device);
  std::string clocks = host_clock();
  if (device.clock_mhz > 0) add(clocks, fmt::format("device at most {} MHz", device.clock_mhz));
  std::string power;
  const std::string governor = first_line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (!governor.empty()) power = "host's governor: " + governor;
  if (device.nvidia_sm != 0) {
    const GpuState state = gpu_state(device.name);
    add(clocks, state.clocks);
    add(power, state.power);
  }
  return {.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
          .clgemm_version = CLGEMM_VERSION,
          .commit = CLGEMM_COMMIT,
          .host = processor_name(),
          .device = device.name,
          .platform = device.platform_name,
          .driver = device.driver_version,
          .clocks = clocks,
          .power = power,
          .timer = fmt::format("device: OpenCL's profiling events, resolution {} ns; host: steady_clock",
                               cl_device.getInfo<CL_DEVICE_PROFILING_TIMER_RESOLUTION>())};
}

}  // namespace clgemm::bench
