#include "base/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <mutex>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/forked.hpp"
#include "base/log.hpp"
#include "base/platform/drivers.hpp"
#include "base/printable.hpp"
#include "base/vendor_files.hpp"
#include "base/words.hpp"

namespace clgemm {
namespace {

// Returns the kind of a device. Its type is a bit mask: PoCL returns CPU | DEFAULT. Mesa's llvmpipe returns
// CPU, but runs work-items as a GPU does, as lanes of vectors, and ends a work-item's loops after 65,535
// steps (22.3). Kernels that let one work-item of a CPU compute a whole matrix would give wrong results
// there.
DeviceKind kind_of(const cl::Device& device) {
  if (device.getInfo<CL_DEVICE_NAME>().rfind("llvmpipe", 0) == 0) return DeviceKind::other;
  const cl_device_type type = device.getInfo<CL_DEVICE_TYPE>();
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return DeviceKind::gpu;
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return DeviceKind::cpu;
  return DeviceKind::other;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

cl::Platform platform_of(const cl::Device& device) {
  return cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>());
}

std::string platform_name(const cl::Device& device) {
  return platform_of(device).getInfo<CL_PLATFORM_NAME>();
}

// Returns whether a text of the device has this part (in lower case). PoCL has "pocl" only in its platform's
// version.
bool has_part(const cl::Device& device, const std::string& part) {
  const std::string texts[] = {device.getInfo<CL_DEVICE_NAME>(), platform_name(device),
                               platform_of(device).getInfo<CL_PLATFORM_VERSION>()};
  return std::any_of(std::begin(texts), std::end(texts), [&part](const std::string& text) {
    return lower(text).find(part) != std::string::npos;
  });
}

std::string list_of(const std::vector<cl::Device>& devices) {
  std::string result;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    result += fmt::format("{}{}: {} ({})", i == 0 ? "" : ", ", i, devices[i].getInfo<CL_DEVICE_NAME>(),
                          platform_name(devices[i]));
  }
  return result;
}

[[noreturn]] void fail(std::string_view wanted, const std::vector<cl::Device>& devices) {
  throw Error(ErrorCode::device_not_found, fmt::format("no OpenCL device matches '{}'; the devices are {}{}",
                                                       wanted, list_of(devices), unloadable_drivers()));
}

// An element of clGetDeviceInfo()'s list of versions. The headers define both names only from OpenCL 3.0 on.
struct NameVersion {
  cl_uint version;  // the upper ten bits are the major version, the next ten the minor version
  char name[64];
};
constexpr cl_device_info all_versions_of_c = 0x1066;  // CL_DEVICE_OPENCL_C_ALL_VERSIONS

// Returns the versions of OpenCL C. A device of OpenCL 3.0 lists them. Older devices name the newest version,
// and accept all versions before it.
std::vector<std::string> opencl_c_of(const cl::Device& device) {
  std::vector<NameVersion> listed(16);
  std::size_t bytes = 0;
  if (::clGetDeviceInfo(device(), all_versions_of_c, listed.size() * sizeof(NameVersion), listed.data(),
                        &bytes) != CL_SUCCESS)
    bytes = 0;
  listed.resize(bytes / sizeof(NameVersion));
  const std::string newest = device.getInfo<CL_DEVICE_OPENCL_C_VERSION>();  // "OpenCL C 2.0 ..."
  std::vector<std::string> result = {"1.2"};                                // every device accepts it
  for (const std::string_view version : {"2.0", "3.0"}) {
    const auto is_it = [version](const NameVersion& one) {
      return fmt::format("{}.{}", one.version >> 22U, one.version >> 12U & 0x3ffU) == version;
    };
    if (listed.empty() ? fmt::format("OpenCL C {}", version) <= newest
                       : std::any_of(listed.begin(), listed.end(), is_it))
      result.emplace_back(version);
  }
  return result;
}

// Returns the architecture from the extension cl_nv_device_attribute_query.
std::size_t nvidia_sm_of(const cl::Device& device, const std::string& extensions) {
  if (!has_word(extensions, "cl_nv_device_attribute_query")) return 0;
  cl_uint major = 0;
  cl_uint minor = 0;
  device.getInfo(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, &major);
  device.getInfo(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, &minor);
  return std::size_t{major} * 10 + minor;
}

// Returns whether local memory is a part of global memory. Mesa's rusticl reports CL_GLOBAL for every device
// (its source, up to 2026).
bool is_local_in_global(const cl::Device& device) {
  return device.getInfo<CL_DEVICE_LOCAL_MEM_TYPE>() == CL_GLOBAL && platform_name(device) != "rusticl";
}

cl::Device first_by_kind(const std::vector<cl::Device>& devices) {
  for (const DeviceKind kind : {DeviceKind::gpu, DeviceKind::cpu}) {
    for (const cl::Device& device : devices) {
      if (kind_of(device) == kind) return device;
    }
  }
  return devices.front();
}

}  // namespace

Device describe(const cl::Device& device) {
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  Device result;
  // These texts go into logs, tables and files.
  result.name = printable(device.getInfo<CL_DEVICE_NAME>());
  result.vendor = printable(device.getInfo<CL_DEVICE_VENDOR>());
  result.driver_version = printable(device.getInfo<CL_DRIVER_VERSION>());
  result.platform_name = printable(platform.getInfo<CL_PLATFORM_NAME>());
  result.platform_version = printable(platform.getInfo<CL_PLATFORM_VERSION>());
  result.kind = kind_of(device);
  result.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
  result.max_work_group_size = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  result.max_work_item_sizes = device.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>();
  result.local_bytes = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
  result.global_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
  result.max_allocation_bytes = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  result.base_alignment_bytes = device.getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>() / 8;
  result.native_float_width = device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>();
  result.clock_mhz = device.getInfo<CL_DEVICE_MAX_CLOCK_FREQUENCY>();
  result.shares_host_memory = device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>() == CL_TRUE;
  result.local_in_global = is_local_in_global(device);
  result.opencl_c = opencl_c_of(device);
  result.extensions = device.getInfo<CL_DEVICE_EXTENSIONS>();
  result.nvidia_sm = nvidia_sm_of(device, result.extensions);
  // On an H100 (driver 580, Linux, 25 November 2026), 1 to 400 launches, which take 9 ms together, were
  // complete 300 ms after they had been enqueued, without a flush.
  result.starts_unflushed = result.nvidia_sm != 0 && !gathers_commands();
  return result;
}

std::vector<cl::Device> all_devices() {
  claim_process();
  // Only one thread at a time may do this: the first one loads the drivers, and PoCL 3.1 crashes if several
  // threads do.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::vector<cl::Device> result;
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error&) {
    return result;  // CL_PLATFORM_NOT_FOUND_KHR: the loader found no driver
  }
  for (const cl::Platform& platform : platforms) {
    try {
      std::vector<cl::Device> devices;
      platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
      result.insert(result.end(), devices.begin(), devices.end());
    } catch (const cl::Error&) {
      continue;  // CL_DEVICE_NOT_FOUND: a platform without devices is not an error
    }
  }
  return result;
}

namespace {

// Explains why PoCL offers no device: if it has no place for its cache, it gives no message.
std::string missing_place_of_pocl() {
  for (const char* variable : {"POCL_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
    const std::string folder = environment(variable);
    if (folder.empty()) continue;
    if (may_write(folder)) return "";
    return fmt::format(
        ". PoCL offers no device if it cannot write its cache. Here {} is '{}', which is not writable. Set "
        "POCL_CACHE_DIR to a writable folder",
        variable, folder);
  }
  return "";
}

}  // namespace

cl::Device find_device(std::string_view wanted) {
  const std::vector<cl::Device> devices = all_devices();
  if (devices.empty()) {
    throw Error(
        ErrorCode::device_not_found,
        "there is no OpenCL device: no driver (ICD) is installed, or no driver offers a device. On a machine "
        "without a GPU, install PoCL, which uses the CPU as a device (Debian: pocl-opencl-icd)" +
            missing_place_of_pocl() + unloadable_drivers());
  }
  if (wanted.empty()) return first_by_kind(devices);

  std::size_t index = 0;
  const auto [rest, status] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  if (status == std::errc() && rest == wanted.data() + wanted.size()) {
    if (index >= devices.size()) fail(wanted, devices);
    return devices[index];
  }

  const std::string part = lower(wanted);
  for (const cl::Device& device : devices) {
    if (lower(device.getInfo<CL_DEVICE_NAME>()) == part) return device;
  }
  std::vector<cl::Device> fitting = devices;
  std::erase_if(fitting, [&part](const cl::Device& device) { return !has_part(device, part); });
  if (fitting.empty()) fail(wanted, devices);
  if (fitting.size() > 1) {
    log_once(LogLevel::info, fmt::format("'{}' matches {} devices; clgemm uses the first one, {}", wanted,
                                         fitting.size(), list_of(fitting)));
  }
  return fitting.front();
}

std::vector<cl::Device> find_devices(std::string_view list) {
  std::vector<cl::Device> result;
  const auto add = [&result](const cl::Device& device) {
    const auto is_it = [&](const cl::Device& other) { return other() == device(); };
    if (std::none_of(result.begin(), result.end(), is_it)) result.push_back(device);
  };
  for (const std::string_view wanted : parts_of(list, ',')) {
    if (wanted.empty()) continue;
    if (wanted != "all" && wanted.substr(0, 4) != "all ") {
      add(find_device(wanted));
      continue;
    }
    const std::string part = lower(trimmed(wanted.substr(3)));
    bool found = false;
    for (const cl::Device& device : all_devices()) {
      if (!has_part(device, part)) continue;
      add(device);
      found = true;
    }
    if (!found) fail(wanted, all_devices());
  }
  if (result.empty()) throw Error(ErrorCode::invalid_argument, "the list of devices is empty");
  return result;
}

cl::Device default_device() {
  const std::string wanted = environment("CLGEMM_DEVICE");
  try {
    return find_device(wanted);
  } catch (const Error& error) {
    if (wanted.empty()) throw;
    throw Error(error.code(), fmt::format("CLGEMM_DEVICE: {}", error.what()));
  }
}

}  // namespace clgemm
