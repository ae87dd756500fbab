// Finding a device, and its description.
#include "base/device.hpp"

#include <algorithm>
#include <cctype>

#include "support/on_device.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using test::ScopedVariable;

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

TEST_CASE("a device is found by index, by name or by a part of its name, in upper or lower case") {
  const std::vector<cl::Device> devices = all_devices();
  for (std::size_t i = 0; i < devices.size(); ++i) CHECK(find_device(std::to_string(i))() == devices[i]());
  const std::string name = describe(devices[0]).name;
  CHECK(describe(find_device(name)).name == name);
  CHECK(describe(find_device(upper(name))).name == name);
  const std::string part = name.substr(0, name.size() - 1);
  CHECK(test::contains(describe(find_device(part)).name, part));
}

TEST_CASE("a device is found by its platform's name") {
  const std::string platform = describe(all_devices()[0]).platform_name;
  CHECK(describe(find_device(upper(platform))).platform_name == platform);
}

TEST_CASE("PoCL is found by its name, which differs from its platform's name") {
  for (const cl::Device& device : all_devices()) {
    const Device info = describe(device);
    if (info.platform_name != "Portable Computing Language") continue;
    CHECK(describe(find_device("pocl")).platform_name == info.platform_name);
    return;
  }
  WARN("NOT TESTED: there is no PoCL");
}

TEST_CASE("by default, a GPU is preferred to a CPU") {
  const std::vector<cl::Device> devices = all_devices();
  const bool has_gpu = std::any_of(devices.begin(), devices.end(),
                                   [](const cl::Device& d) { return describe(d).kind == DeviceKind::gpu; });
  const DeviceKind kind = describe(find_device("")).kind;
  CHECK((kind == DeviceKind::gpu) == has_gpu);
}

TEST_CASE("if no device matches, the error lists all devices") {
  const std::string name = describe(all_devices()[0]).name;
  for (const char* wanted : {"no such device", "9999", "99999999999999999999", "-1"}) {
    const test::Thrown thrown = test::thrown_by([&] { find_device(wanted); });
    INFO(thrown.text);
    CHECK(thrown.code == ErrorCode::device_not_found);
    CHECK(test::contains(thrown.text, wanted));
    CHECK(test::contains(thrown.text, "0: " + name));
  }
}

TEST_CASE("CLGEMM_DEVICE selects the default device") {
  const std::vector<cl::Device> devices = all_devices();
  const std::string last = std::to_string(devices.size() - 1);
  const ScopedVariable variable("CLGEMM_DEVICE", last.c_str());
  CHECK(default_device()() == devices.back()());
  CHECK(Context().device() == devices.back()());
  const ScopedVariable wrong("CLGEMM_DEVICE", "no such device");
  CHECK_ERROR([] { Context{}; }, device_not_found, "no such device");
}

TEST_CASE("a Context is made from a name, a device or a queue") {
  const cl::Device device = test::shared_device();
  CHECK(Context(device()).device() == device());
  const cl::CommandQueue queue = test::make_queue(false);
  const Context of_queue(queue());
  CHECK(of_queue.device() == device());
  CHECK(of_queue.context() == test::shared_context().context());
  CHECK(Context(describe(device).name).device() != nullptr);
  CHECK_ERROR([] { Context(static_cast<cl_device_id>(nullptr)); }, invalid_argument, "device is null");
  CHECK_ERROR([] { Context(static_cast<cl_command_queue>(nullptr)); }, invalid_argument, "queue is null");
  CHECK_ERROR([] { Context(std::string("no such device")); }, device_not_found, "no such device");
}

TEST_CASE("a Context can be moved") {
  Context first(test::shared_device()());
  const cl_context context = first.context();
  Context second(std::move(first));
  CHECK(second.context() == context);
  Context third(test::shared_device()());
  third = std::move(second);
  CHECK(third.context() == context);
}

TEST_CASE("the device's properties are plausible") {
  const Device& device = test::shared_device_info();
  CHECK_FALSE(device.name.empty());
  CHECK_FALSE(device.platform_name.empty());
  CHECK(device.max_work_group_size >= 1);
  CHECK(device.max_work_item_sizes.size() >= 3);
  CHECK(device.global_bytes >= device.max_allocation_bytes);
  CHECK(device.max_allocation_bytes > 0);
  CHECK(device.local_bytes > 0);
  CHECK(device.base_alignment_bytes >= sizeof(float));
}

}  // namespace
}  // namespace clgemm
