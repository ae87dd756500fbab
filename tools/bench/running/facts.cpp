#include "running/facts.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <fstream>

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

}  // namespace

Facts facts_now(const cl::Device& cl_device) {
  const Device device = describe(cl_device);
  return {.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
          .clgemm_version = CLGEMM_VERSION,
          .host = processor_name(),
          .device = device.name,
          .platform = device.platform_name,
          .driver = device.driver_version,
          .timer = fmt::format("device: OpenCL's profiling events, resolution {} ns; host: steady_clock",
                               cl_device.getInfo<CL_DEVICE_PROFILING_TIMER_RESOLUTION>())};
}

}  // namespace clgemm::bench
