// What a device is and can do, asked once and kept as plain data, so that plans can be made and tested
// without a device; and the ways to find one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/opencl.hpp"

namespace clgemm {

// The versions of OpenCL C that a kernel may be written in.
inline constexpr std::array<std::string_view, 3> opencl_c_versions = {"1.2", "2.0", "3.0"};

enum class DeviceKind { cpu, gpu, other };

// Devices may count work-groups in 16 bits in every dimension of a launch but the first (NVIDIA's do).
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
  std::size_t base_alignment_bytes = 128;  // of every buffer that the implementation allocates
  std::size_t native_float_width = 1;
  std::size_t clock_mhz = 1000;  // the highest; some report 0
  bool shares_host_memory = false;
  bool local_in_global = false;                 // local memory is a part of global memory, as OpenCL says
  std::vector<std::string> opencl_c = {"1.2"};  // of opencl_c_versions, those that its compiler takes
  std::string extensions;                       // blanks between them
  std::size_t nvidia_sm = 0;      // the architecture of an NVIDIA GPU, 90 for Hopper's sm_90; 0 elsewhere
  bool starts_unflushed = false;  // a command starts as soon as it is enqueued
};

Device describe(const cl::Device& device);

// Every device of every platform, in the order of the ICD loader. Platforms without devices are passed over;
// with no platform at all the list is empty.
std::vector<cl::Device> all_devices();

// `wanted`: an index into all_devices(), or a part of the device's name or of its platform's name or version,
// in any case; an exact device name wins over a part. If it fits several devices, the log says so. Empty: the
// first GPU, else the first CPU, else the first of any kind. Throws Error(device_not_found) that lists what
// is there.
cl::Device find_device(std::string_view wanted);

// `list`: devices with commas between them, each as find_device() takes it, or "all", or "all NVIDIA" for all
// whose name or platform's name has that part in any case. Each device once, in the order of the list. Throws
// Error(device_not_found) where one is not there, and Error(invalid_argument) for an empty list.
std::vector<cl::Device> find_devices(std::string_view list);

// find_device() of the environment variable CLGEMM_DEVICE.
cl::Device default_device();

}  // namespace clgemm
