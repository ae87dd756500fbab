// Devices and kernel files that do not exist, for tests without a device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "kernel/kernel_file.hpp"
#include "kernel/manifest_parser.hpp"

namespace clgemm::test {

// Returns a GPU like a large desktop one.
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

// Returns a GPU with Hopper's tensor cores.
inline Device made_up_hopper() {
  Device result = made_up_gpu();
  result.name = "made-up Hopper";
  result.nvidia_sm = 90;
  return result;
}

// Returns a GPU with the name in the shipped tuning data.
inline Device made_up_h200() {
  Device result = made_up_hopper();
  result.name = "NVIDIA H200";
  result.vendor = "NVIDIA Corporation";
  result.platform_name = "NVIDIA CUDA";
  result.compute_units = 132;
  result.clock_mhz = 1980;
  return result;
}

inline Device made_up_rdna() {
  Device result = made_up_gpu();
  result.name = "made-up gfx1100";
  return result;
}

inline Device made_up_cdna() {
  Device result = made_up_gpu();
  result.name = "made-up gfx942";
  return result;
}

// Returns a GPU with Intel's matrix units.
inline Device made_up_xe() {
  Device result = made_up_gpu();
  result.name = "made-up Arc B";
  result.vendor = "Intel";
  result.extensions =
      "cl_intel_subgroup_matrix_multiply_accumulate cl_intel_subgroup_matrix_multiply_accumulate_tf32 "
      "cl_intel_subgroup_local_block_io";
  return result;
}

// Returns a device that suits the built-in kernel.
inline Device suitable_device(KernelLibrary& library, const std::string& kernel) {
  for (const Manifest::Rule& rule : library.find(kernel).file->manifest.requirements) {
    if (rule.expression.text() == "is_cpu") return made_up_cpu();
    if (rule.expression.text().find("nvidia_sm") == 0) return made_up_hopper();
    if (rule.expression.text().find("arch(gfx11") == 0) return made_up_rdna();
    if (rule.expression.text().find("arch(gfx9") == 0) return made_up_cdna();
    if (rule.expression.text().find("extension(cl_intel") == 0) return made_up_xe();
  }
  return made_up_gpu();
}

// Returns a GPU with work-groups of at most 256, like AMD's.
inline Device made_up_gpu_256() {
  Device result = made_up_gpu();
  result.name = "made-up GPU of 256";
  result.max_work_group_size = 256;
  result.max_work_item_sizes = {256, 256, 256};
  result.local_bytes = 32 * 1024;
  return result;
}

// Returns GPUs of other vendors by the limits that they report: work-items in a work-group, and local memory
// in KiB.
inline std::vector<Device> made_up_gpus() {
  struct Limits {
    const char* name;
    std::size_t items, local_kib, compute_units;
  };
  std::vector<Device> result;
  for (const Limits& limits : {Limits{"AMD's", 256, 64, 60}, Limits{"Intel's large", 1024, 64, 96},
                               Limits{"Intel's small", 256, 64, 24}, Limits{"Mali", 256, 32, 10},
                               Limits{"a small Mali", 64, 32, 2}, Limits{"Adreno", 1024, 32, 4}}) {
    Device device = made_up_gpu();
    device.name = limits.name;
    device.max_work_group_size = limits.items;
    device.max_work_item_sizes = {limits.items, limits.items, limits.items};
    device.local_bytes = limits.local_kib * 1024;
    device.compute_units = limits.compute_units;
    result.push_back(device);
  }
  return result;
}

// Returns a kernel as if it were read from "made_up.cl".
inline NamedKernel made_up_kernel(const std::string& source) {
  const auto file =
      std::make_shared<KernelFile>(KernelFile{"made_up.cl", source, parse_manifest(source, "made_up.cl")});
  return {file->manifest.name, file, {}};
}

// Returns a kernel file whose plan has three stages: this kernel on fp16 planes, bf16x6_mma and
// fallback_fp32.
inline std::string chain_of_three(const std::string& name) {
  return "// clgemm: " + name +
         "\n// summary: s\n// operands: fp16_planes\n// fallback: bf16x6_mma\n// tile: 128 64 16\n"
         "// local: 64\n// grid: tiles\n";
}

}  // namespace clgemm::test
