// Devices and kernel files that exist nowhere, for tests without a device.
#pragma once

#include <memory>
#include <string>

#include "device.hpp"
#include "kernel_file.hpp"

namespace clgemm::test {

// A GPU as large desktop ones are.
inline Device made_up_gpu() {
  Device result;
  result.name = "made-up GPU";
  result.kind = DeviceKind::gpu;
  result.compute_units = 64;
  result.max_work_group_size = 1024;
  result.max_work_item_sizes = {1024, 1024, 64};
  result.local_bytes = 48 * 1024;
  result.global_bytes = std::size_t{8} << 30;
  result.max_allocation_bytes = std::size_t{2} << 30;
  return result;
}

inline Device made_up_cpu() {
  Device result = made_up_gpu();
  result.name = "made-up CPU";
  result.kind = DeviceKind::cpu;
  result.max_work_group_size = 4096;
  result.max_work_item_sizes = {4096, 4096, 4096};
  result.local_bytes = 256 * 1024;
  return result;
}

// With Hopper's tensor cores.
inline Device made_up_hopper() {
  Device result = made_up_gpu();
  result.name = "made-up Hopper";
  result.nvidia_sm = 90;
  return result;
}

// A device that the built-in kernel is made for.
inline Device suitable_device(KernelLibrary& library, const std::string& kernel) {
  for (const Manifest::Rule& rule : library.find(kernel).file->manifest.requirements) {
    if (rule.expression.text() == "is_cpu") return made_up_cpu();
    if (rule.expression.text().find("nvidia_sm") == 0) return made_up_hopper();
  }
  return made_up_gpu();
}

// Work-groups of 256 at most, as AMD's GPUs have.
inline Device made_up_gpu_256() {
  Device result = made_up_gpu();
  result.name = "made-up GPU of 256";
  result.max_work_group_size = 256;
  result.max_work_item_sizes = {256, 256, 256};
  result.local_bytes = 32 * 1024;
  return result;
}

// A kernel as if read from "made_up.cl".
inline NamedKernel made_up_kernel(const std::string& source) {
  const auto file =
      std::make_shared<KernelFile>(KernelFile{"made_up.cl", source, parse_manifest(source, "made_up.cl")});
  return {file->manifest.name, file, {}};
}

}  // namespace clgemm::test
