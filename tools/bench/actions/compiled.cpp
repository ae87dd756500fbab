#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <vector>

#include "actions/actions.hpp"
#include "base/platform/process.hpp"
#include "build/compile.hpp"
#include "command_line/cases.hpp"
#include "common/own_folder.hpp"
#include "common/say.hpp"
#include "common/whole_file.hpp"
#include "context/plan_memory.hpp"
#include "measuring/contestant.hpp"
#include "measuring/device_data.hpp"
#include "running/kernel_choice.hpp"

namespace clgemm::bench {
namespace {

constexpr const char* elf_mark =
    "\x7f"
    "ELF";

bool is_text(const std::string& binary) {
  return !binary.empty() && std::all_of(binary.begin(), binary.end(), [](unsigned char c) {
    return c == '\0' || std::isprint(c) != 0 || std::isspace(c) != 0;
  });
}

// Returns an empty text if there is no objdump, or none that knows this machine code.
std::string disassembled(const std::string& elf) {
  const OwnFolder folder("clgemm-asm-");
  const std::string path = (folder.path() / "program").string();
  write_whole(path, elf);
  std::string result;
  for (const std::string& line :
       lines_of_command(fmt::format("objdump -d --no-show-raw-insn '{}' 2>/dev/null", path).c_str()))
    result += line;
  const std::size_t code = result.find("Disassembly of section");
  return code == std::string::npos ? "" : result.substr(code);
}

}  // namespace

Compiled readable(const std::string& binary) {
  if (is_text(binary)) {
    const std::string text = binary.substr(0, binary.find('\0'));
    return {text, text.find(".version") == std::string::npos ? "text" : "PTX"};
  }
  std::string all;
  for (std::size_t at = binary.find(elf_mark); at != std::string::npos; at = binary.find(elf_mark, at + 1))
    all += disassembled(binary.substr(at));
  if (!all.empty()) return {all, "a disassembly by objdump"};
  return {binary, "the binary, because objdump knows no machine code in it"};
}

bool write_compiled(std::ostream& /*out*/, const BenchOptions& options, const cl::Device& device) {
  const cl::Context context(device);  // not every implementation lets a queue keep it
  const cl::CommandQueue queue(context, device, CL_QUEUE_PROFILING_ENABLE);
  const Device info = describe(device);
  const Case one = cases_of(options, info).front();
  const SgemmCall call = call_of(one.kind, one.size);
  const HostData host = make_host_data(call);
  const DeviceData data(queue, host);
  const auto contestant = make_kernel_contestant(
      data, with_own_parameters(choose_kernels(options, info), call, info).front().options);
  contestant->run();
  const std::shared_ptr<const ChosenPlan> plan = contestant->plan();
  const KernelConfig& kernel = plan->built.plan.first().gemm();
  BuiltKernel::Lease lease(plan->built.stages.front()[ProgramRole::gemm]);
  std::vector<unsigned char> binary = binary_of((*lease).getInfo<CL_KERNEL_PROGRAM>(), device);
  // A precompiled program for an NVIDIA GPU has no PTX.
  if (info.platform_name == "NVIDIA CUDA" && std::string(binary.begin(), binary.end()).starts_with(elf_mark))
    binary = binary_of(compile(kernel, context, device, nullptr), device);
  if (binary.empty()) throw std::runtime_error("--asm: the device does not return the binaries of programs");
  const Compiled compiled = readable({binary.begin(), binary.end()});
  write_whole(options.assembly, compiled.text);
  say("clgemm-bench", fmt::format("note: {} has {} of '{}' with {} at {}", options.assembly, compiled.kind,
                                  kernel.name, describe_values(kernel.values), to_string(one.size)));
  return true;
}

}  // namespace clgemm::bench
