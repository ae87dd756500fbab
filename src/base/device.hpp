// Describes a device and its abilities. They are queried once and kept as plain data, so that plans can be
// made and tested without a device. Also finds devices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/opencl.hpp"

namespace clgemm {

// The versions of OpenCL C in which a kernel may be written.
inline constexpr std::array<std::string_view, 3> opencl_c_versions = {"1.2", "2.0", "3.0"};

enum class DeviceKind { cpu, gpu, other };

// In all dimensions of a launch but the first, devices may count work-groups in 16 bits (NVIDIA's do).
inline constexpr std::size_t max_groups_beyond_first = 65535;

struct Device {
  std::string name;
  std::string vendor;
  std::string driver_version;
  std::string platform_name;
  std::string platform_version;
  DeviceKind kind = DeviceKind::other;
  std::size_t compute_units = 1;
  std::size_t max_work_group_size = 1;
  std::vector<std::size_t> max_work_item_sizes = {1, 1, 1};
  std::size_t local_bytes = 0;
  std::size_t global_bytes = 0;
  std::size_t max_allocation_bytes = 0;
  std::size_t base_alignment_bytes = 128;  // alignment of buffers that the implementation allocates
  std::size_t native_float_width = 1;
  std::size_t clock_mhz = 1000;  // highest clock; some devices report 0
  bool shares_host_memory = false;
  bool local_in_global = false;  // local memory is a part of global memory, according to OpenCL
  std::vector<std::string> opencl_c = {"1.2"};  // those of opencl_c_versions that its compiler accepts
  std::string extensions;                       // separated by blanks
  std::size_t nvidia_sm = 0;      // the architecture of an NVIDIA GPU: 90 for Hopper's sm_90; otherwise 0
  bool starts_unflushed = false;  // a command starts as soon as it is enqueued
};

Device describe(const cl::Device& device);

// Returns every device of every platform, in the order of the ICD loader. Platforms without devices are
// skipped. Without any platform the list is empty.
std::vector<cl::Device> all_devices();

// Returns a device. `wanted` is an index into all_devices(), or a part of the device's name or of its
// platform's name or version, in upper or lower case. An exact device name is preferred to a part. If several
// devices match, the log says so. If `wanted` is empty, it returns the first GPU, or else the first CPU, or
// else the first device. Throws an Error(device_not_found) that lists the existing devices.
cl::Device find_device(std::string_view wanted);

// Returns the devices of `list`. It has devices separated by commas, each in the form that find_device()
// takes, or "all", or "all NVIDIA" for all devices with this part in their name or their platform's name, in
// upper or lower case. Each device comes once, in the order of the list. Throws Error(device_not_found) if a
// device does not exist, and Error(invalid_argument) for an empty list.
std::vector<cl::Device> find_devices(std::string_view list);

// Returns find_device() of the environment variable CLGEMM_DEVICE.
cl::Device default_device();

}  // namespace clgemm
