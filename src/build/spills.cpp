#include "build/spills.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/words.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm {
namespace {

constexpr cl_kernel_work_group_info spills_of_intel = 0x4109;  // CL_KERNEL_SPILL_MEM_SIZE_INTEL

// Returns 0 if the implementation does not know the query. It does without OpenCL-CLHPP, which lacks Intel's
// query.
std::size_t bytes_of(cl_kernel_work_group_info question, const cl::Kernel& kernel, const cl::Device& device) {
  cl_ulong bytes = 0;
  const cl_int status =
      ::clGetKernelWorkGroupInfo(kernel(), device(), question, sizeof bytes, &bytes, nullptr);
  return status == CL_SUCCESS ? static_cast<std::size_t>(bytes) : 0;
}

// Returns the build log; empty if it cannot be read.
std::string log_of(const cl::Program& program, const cl::Device& device) {
  try {
    return program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device);
  } catch (const cl::Error&) {
    return {};
  }
}

}  // namespace

// Each implementation reports spills in its own way. The drivers of AMD (ROCm's clr) and Mesa report a
// kernel's scratch memory, for spills and arrays, as its private memory. Intel's driver (compute-runtime)
// counts only arrays there, and has another query for spills, from cl_intel_required_subgroup_size. NVIDIA's
// assembler writes both to the log. Our kernels index arrays by constants, so an array that is not in
// registers is as bad as a spill. Other implementations are not asked, because the meaning of their answers
// is unknown: PoCL 3.1 reports 1024 bytes for every kernel.
std::size_t spilled_bytes(const cl::Program& program, const cl::Kernel& kernel, const cl::Device& device,
                          const Device& info) {
  if (info.kind != DeviceKind::gpu) return 0;
  if (is_verbose(info)) return spilled_by_log(log_of(program, device));
  const std::size_t of_arrays = bytes_of(CL_KERNEL_PRIVATE_MEM_SIZE, kernel, device);
  if (has_word(info.extensions, "cl_intel_required_subgroup_size"))
    return of_arrays + bytes_of(spills_of_intel, kernel, device);
  const bool counts_scratch =
      info.platform_name == "AMD Accelerated Parallel Processing" || info.platform_name == "rusticl";
  return counts_scratch ? of_arrays : 0;
}

std::size_t spilled_by_log(std::string_view log) {
  std::size_t most = 0;
  for (const std::string_view what : {" bytes stack frame", " bytes spill stores"}) {
    for (std::size_t at = log.find(what); at != std::string_view::npos; at = log.find(what, at + 1)) {
      std::size_t begin = at;
      while (begin > 0 && log[begin - 1] >= '0' && log[begin - 1] <= '9') --begin;
      std::size_t bytes = 0;
      std::from_chars(log.data() + begin, log.data() + at, bytes);
      most = std::max(most, bytes);
    }
  }
  return most;
}

}  // namespace clgemm
