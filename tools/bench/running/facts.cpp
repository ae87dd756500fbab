#include "running/facts.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/platform/machine.hpp"
#include "base/platform/process.hpp"

namespace clgemm::bench {
namespace {

// Returns the present highest clock of the host's cores, if the system reports it.
std::string host_clock() {
  const double most = processor_mhz();
  return most > 0.0 ? fmt::format("host {:.0f} MHz", most) : "";
}

std::string first_line_of(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
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
  const std::string processor = processor_name();
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
          .host = processor.empty() ? "unknown" : processor,
          .device = device.name,
          .platform = device.platform_name,
          .driver = device.driver_version,
          .clocks = clocks,
          .power = power,
          .timer = fmt::format("device: OpenCL's profiling events, resolution {} ns; host: steady_clock",
                               cl_device.getInfo<CL_DEVICE_PROFILING_TIMER_RESOLUTION>())};
}

}  // namespace clgemm::bench
