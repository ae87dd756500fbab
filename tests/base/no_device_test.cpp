// The error on a machine without an OpenCL device. CTest runs this with OCL_ICD_VENDORS set to a folder
// without a driver, and again with a driver that offers no device.
#include <clgemm/clgemm.hpp>

#include "base/device.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

TEST_CASE("without a device, every function says what is missing") {
  INFO("run this through ctest, which hides the devices");
  REQUIRE(all_devices().empty());
  CHECK_ERROR([] { Context{}; }, device_not_found, "no OpenCL device");
  CHECK_ERROR([] { Context(std::string("0")); }, device_not_found, "no OpenCL device");
  CHECK_ERROR([] { default_device(); }, device_not_found, "pocl-opencl-icd");
  const float one = 1;
  float c = 7;
  CHECK_ERROR(
      [&] { sgemm(Layout::row_major, Transpose::no, Transpose::no, 1, 1, 1, 1, &one, 1, &one, 1, 0, &c, 1); },
      device_not_found, "no OpenCL device");
  CHECK(c == 7);
  release_contexts();
}

}  // namespace
}  // namespace clgemm
