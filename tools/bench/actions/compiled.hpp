// `--asm`: what the device's compiler made of a kernel.
#pragma once

#include <string>

#include "base/device.hpp"
#include "command_line/options.hpp"

namespace clgemm::bench {

// The content of a file of `--asm`, and what the user is told about it.
struct Compiled {
  std::string text;
  std::string kind;  // "PTX", "a disassembly by objdump", "the program's binary, for ..."
};

// Returns a binary as people read it: text as it is, machine code disassembled if the binary holds an ELF
// file that this system's objdump knows; else the binary itself.
Compiled readable(const std::string& binary);

// Compiles the one kernel of the options for their first size, runs it once, because some compilers wait for
// the first launch, and writes what was made of its multiply to options.assembly.
void write_compiled(const BenchOptions& options, const cl::Device& device);

}  // namespace clgemm::bench
