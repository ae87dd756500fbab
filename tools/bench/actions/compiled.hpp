// `--asm`: writes the output of the device's compiler for a kernel.
#pragma once

#include <string>

#include "base/device.hpp"
#include "command_line/options.hpp"

namespace clgemm::bench {

// The content of a file of `--asm`, and the description of it for the user.
struct Compiled {
  std::string text;
  std::string kind;  // "PTX", "a disassembly by objdump", "the program's binary, for ..."
};

// Returns a binary in readable form. A text is unchanged. Machine code is disassembled if the binary holds an
// ELF file that this system's objdump knows. Otherwise, this is the binary itself.
Compiled readable(const std::string& binary);

// Compiles the one kernel of the options for their first size. Runs it once, because some compilers wait for
// the first launch. Writes the output for its GEMM to options.assembly.
void write_compiled(const BenchOptions& options, const cl::Device& device);

}  // namespace clgemm::bench
