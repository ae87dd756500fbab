// The test runner's main() for tests on a device. It prints the device's name, or a warning if there is none.
#define CATCH_CONFIG_RUNNER
#include <clgemm/error.hpp>
#include <iostream>

#include "base/device.hpp"
#include "catch.hpp"

namespace {

constexpr int skipped = 77;  // CTest shows this status as "Skipped"

}  // namespace

int main(int argc, char* argv[]) {
  if (clgemm::all_devices().empty()) {
    std::cerr << "SKIPPED: there is no OpenCL device on this machine; nothing was tested\n";
    return skipped;
  }
  try {
    const clgemm::Device device = clgemm::describe(clgemm::default_device());
    std::cerr << "device: " << device.name << " (" << device.platform_name << ")\n";
  } catch (const clgemm::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return Catch::Session().run(argc, argv);
}
