// The actions of clgemm-bench besides measuring. They write to `out`, and return true if nothing failed.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "command_line/options.hpp"

namespace clgemm::bench {

// `--accuracy`: a table in Markdown of the accuracy of kernels and peers on several kinds of hard numbers,
// against float64. Plain fp32 arithmetic, one fused multiply-add after another, is shown for comparison. A
// result passes if its largest error ratio (float64.hpp) is at most the bound of the kernel that computed it
// (error_bound.hpp), and if Inf and NaN appear in the same elements as with Precision::fp32.
bool show_accuracy(std::ostream& out, const BenchOptions& options, const cl::Device& device);

// `--explain`: clgemm's plan for each size and kernel of the options.
bool explain_sizes(std::ostream& out, const BenchOptions& options, const cl::Device& device);

// `--cache`: the path of the cache of compiled programs, and its contents; or removes them; or takes kernels
// out of quarantine, so that they are tested again.
bool manage_cache(std::ostream& out, const BenchOptions& options);

// `--watch`: measures again whenever a kernel file of the options, or a file that one of them includes,
// changes, and reports how the times differ from the previous ones. If a kernel does not compile, it reports
// that and waits for the next change. Runs until the process ends, or for options.watch_rounds measurements.
bool watch(std::ostream& out, const BenchOptions& options, const cl::Device& device);

// `--list-devices`. Throws Error(device_not_found) if there is no device.
bool list_devices(std::ostream& out, const BenchOptions& options);

// `--list-kernels`
bool list_kernels(std::ostream& out, const BenchOptions& options);

// `--show-kernel`: a kernel's file, unchanged. The name is that of a kernel or of a variant, or a path among
// the built-in files ("common/store.cl"). Throws Error(kernel_not_found) if there is no such kernel.
bool show_kernel(std::ostream& out, const BenchOptions& options);

// `--new-kernel`: writes a commented kernel that already passes, as a starting point. The kernel gets the
// name of the file. Throws Error(invalid_argument) if the file exists already or cannot be written.
bool write_new_kernel(std::ostream& out, const BenchOptions& options);

// `--asm`: compiles the one kernel of the options for their first size. Runs it once, because some compilers
// wait for the first launch. Writes the output for its GEMM to options.assembly.
bool write_compiled(std::ostream& out, const BenchOptions& options, const cl::Device& device);

// The content of a file of `--asm`, and the description of it for the user.
struct Compiled {
  std::string text;
  std::string kind;  // "PTX", "a disassembly by objdump", "the program's binary, for ..."
};

// Returns a binary in readable form. A text is unchanged. Machine code is disassembled if the binary holds an
// ELF file that this system's objdump knows. Otherwise, this is the binary itself.
Compiled readable(const std::string& binary);

// `--races`: runs a kernel at a small size under Oclgrind, which simulates a device and checks every memory
// access, and writes the findings with the lines of the kernel's file. A kernel with a missing barrier passes
// on devices that run work-items in lock-step, and fails on others. Throws UsageError if Oclgrind is not
// installed, and std::runtime_error if the kernel did not run.
bool find_races(std::ostream& out, const BenchOptions& options);

// A finding of Oclgrind, with all its occurrences at these lines.
struct RaceFinding {
  std::string what;                // "Read-write data race at local memory"
  std::vector<std::string> lines;  // "mine.cl:49", one for each work-item of the finding
  std::vector<std::string> items;  // "Local(1,0,0) Group(0,0,0)"
  std::size_t times = 0;
};

// Reads Oclgrind's log. Joins findings of one kind at the same lines.
std::vector<RaceFinding> findings_in(const std::string& log);

}  // namespace clgemm::bench
