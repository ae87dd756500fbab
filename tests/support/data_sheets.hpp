// Unmeasured GPUs with the facts that their drivers report and those in their data sheets, and shapes to
// choose kernels for.
#pragma once

#include <vector>

#include "support/made_up.hpp"
#include "support/problems.hpp"

namespace clgemm::test {

// A GPU as its driver reports it, and the figures in its data sheet.
struct Sheet {
  const char* name;
  const char* vendor;
  const char* platform;
  std::size_t units;
  std::size_t mhz;
  std::size_t largest_group;
  std::size_t local_kibibytes;
  std::size_t sm;
  std::size_t cores;
  double teraflops;               // fp32 at this clock, without second issue and matrix units
  double gigabytes;               // gigabytes a second
  const char* target;             // the target for a compiler; empty if none is available without the device
  double matrix_teraflops = 0.0;  // fp32 with matrix units; 0 if they do not support it
  double half_teraflops = 0.0;    // fp16 with fp32 sums; 0 if there are none, or if no kernel depends on it
};

inline const char* const amd = "Advanced Micro Devices, Inc.";
inline const char* const amd_platform = "AMD Accelerated Parallel Processing";
inline const char* const intel = "Intel(R) Corporation";
inline const char* const intel_platform = "Intel(R) OpenCL Graphics";
inline const char* const nvidia = "NVIDIA Corporation";
inline const char* const nvidia_platform = "NVIDIA CUDA";

inline const Sheet sheets[] = {
    {"gfx942:sramecc+:xnack-", amd, amd_platform, 304, 2100, 256, 64, 0, 304, 163.4, 5300, "gfx942", 163.4,
     1307.4},
    {"gfx90a:sramecc+:xnack-", amd, amd_platform, 104, 1700, 256, 64, 0, 104, 22.6, 1638, "gfx90a", 45.3},
    {"gfx1100", amd, amd_platform, 48, 2371, 256, 64, 0, 48, 29.1, 960, "gfx1100", 0.0, 116.5},
    {"gfx1201", amd, amd_platform, 32, 2970, 256, 64, 0, 32, 24.3, 640, "gfx1201", 0.0, 195.0},
    {"gfx1030", amd, amd_platform, 30, 2105, 256, 64, 0, 30, 16.2, 512, "gfx1030"},
    {"AMD Radeon RX 7900 XTX (radeonsi, navi31, LLVM 15.0.6)", "AMD", "rusticl", 96, 2482, 1024, 64, 0, 48,
     30.7, 960, ""},
    {"Intel(R) Arc(TM) A770 Graphics", intel, intel_platform, 512, 2400, 1024, 64, 0, 32, 19.7, 560, "dg2",
     0.0, 157.3},
    {"Intel(R) Arc(TM) B580 Graphics", intel, intel_platform, 160, 2850, 1024, 128, 0, 20, 14.6, 456, "bmg",
     0.0, 116.7},
    {"Intel(R) Data Center GPU Max 1550", intel, intel_platform, 512, 1600, 1024, 128, 0, 64, 26.2, 1638,
     "pvc", 0.0, 419.4},
    {"Intel(R) Iris(R) Xe Graphics", intel, intel_platform, 96, 1350, 512, 64, 0, 6, 2.07, 68, "tgllp"},
    {"Intel(R) UHD Graphics 770", intel, intel_platform, 32, 1550, 512, 64, 0, 2, 0.79, 77, "adl-s"},
    {"NVIDIA GeForce RTX 5090", nvidia, nvidia_platform, 170, 2407, 1024, 48, 120, 170, 104.8, 1792, "sm_120",
     0.0, 209.5},
    {"NVIDIA RTX PRO 6000 Blackwell", nvidia, nvidia_platform, 188, 2617, 1024, 48, 120, 188, 126, 1792,
     "sm_120", 0.0, 503.8},
    // The figure for mma.sync is a guess.
    {"NVIDIA B200", nvidia, nvidia_platform, 148, 1965, 1024, 48, 100, 148, 75, 8000, "sm_100", 0.0, 595.6},
    {"NVIDIA H100 80GB HBM3", nvidia, nvidia_platform, 132, 1980, 1024, 48, 90, 132, 66.9, 3350, "sm_90"},
    {"NVIDIA GeForce RTX 4090", nvidia, nvidia_platform, 128, 2520, 1024, 48, 89, 128, 82.6, 1008, "sm_89",
     0.0, 165.2},
    {"NVIDIA GeForce RTX 4060", nvidia, nvidia_platform, 24, 2460, 1024, 48, 89, 24, 15.1, 272, "sm_89", 0.0,
     30.2},
    {"NVIDIA GeForce RTX 3090", nvidia, nvidia_platform, 82, 1695, 1024, 48, 86, 82, 35.6, 936, "sm_86", 0.0,
     71.2},
    {"NVIDIA A100-SXM4-40GB", nvidia, nvidia_platform, 108, 1410, 1024, 48, 80, 108, 19.5, 1555, "sm_80", 0.0,
     312.0},
    {"Tesla T4", nvidia, nvidia_platform, 40, 1590, 1024, 48, 75, 40, 8.1, 320, "sm_75", 0.0, 65.1},
    {"Tesla V100-SXM2-16GB", nvidia, nvidia_platform, 80, 1530, 1024, 48, 70, 80, 15.7, 900, "sm_70"},
    {"NVIDIA GeForce GTX 1080", nvidia, nvidia_platform, 20, 1733, 1024, 48, 61, 20, 8.9, 320, "sm_61"},
    {"Tesla P100-PCIE-16GB", nvidia, nvidia_platform, 56, 1328, 1024, 48, 60, 56, 9.5, 732, "sm_60"},
    {"Apple M2 Max", "Apple", "Apple", 38, 1398, 256, 32, 0, 38, 13.6, 400, ""},
    {"Mali-G710 r0p0", "ARM", "ARM Platform", 10, 850, 1024, 32, 0, 10, 1.09, 51, ""},
    {"Mali-G715 r0p0", "ARM", "ARM Platform", 11, 850, 1024, 32, 0, 11, 2.39, 68, ""},
    {"Mali-G78 r1p1", "ARM", "ARM Platform", 14, 848, 512, 32, 0, 14, 0.76, 51, ""},
    {"QUALCOMM Adreno(TM) 740", "QUALCOMM", "QUALCOMM Snapdragon(TM)", 6, 1, 1024, 32, 0, 6, 2.1, 67, ""},
};

inline Device device_of(const Sheet& sheet) {
  Device device = made_up_gpu();
  device.name = sheet.name;
  device.vendor = sheet.vendor;
  device.platform_name = sheet.platform;
  device.compute_units = sheet.units;
  device.clock_mhz = sheet.mhz;
  device.max_work_group_size = sheet.largest_group;
  device.max_work_item_sizes = {sheet.largest_group, sheet.largest_group, sheet.largest_group};
  device.local_bytes = sheet.local_kibibytes * 1024;
  device.native_float_width = 1;
  device.local_in_global = sheet.vendor == std::string_view("ARM");
  device.nvidia_sm = sheet.sm;
  if (sheet.vendor == intel)
    device.extensions =
        "cl_intel_required_subgroup_size cl_intel_subgroups cl_intel_subgroups_short cl_khr_fp16";
  if (sheet.vendor == intel && sheet.half_teraflops != 0.0) {
    device.extensions += " cl_intel_subgroup_matrix_multiply_accumulate cl_intel_subgroup_local_block_io";
    if (sheet.target != std::string_view("dg2"))
      device.extensions += " cl_intel_subgroup_matrix_multiply_accumulate_tf32";
  }
  if (sheet.vendor == nvidia) device.extensions = "cl_nv_compiler_options cl_nv_device_attribute_query";
  return device;
}

inline std::vector<Problem> shapes() {
  std::vector<Problem> result;
  for (const std::size_t side : {64U, 256U, 512U, 1000U, 1024U, 2048U, 4096U, 8192U})
    result.push_back(tight(side, side, side));
  result.push_back(tight(16, 4096, 4096));
  result.push_back(tight(4096, 16, 4096));
  result.push_back(tight(64, 3000, 3000));
  result.push_back(tight(100, 20000, 300));
  result.push_back(tight(128, 128, 65536));
  result.push_back(tight(1, 4096, 4096));
  result.push_back(tight(4096, 1, 4096));
  result.push_back(tight_batch(1000, 32, 32, 32));
  result.push_back(tight_batch(1000, 64, 64, 64));
  result.push_back(tight_batch(64, 256, 256, 256));
  return result;
}

}  // namespace clgemm::test
