// Programs that were compiled when clgemm was made. The library has them as machine code for NVIDIA Hopper
// (cubin files), compressed by zstd. NVIDIA's driver accepts a cubin as the binary of an OpenCL program, and
// loads it in less than a millisecond. From PTX, it builds `direct` with tiles of 64 x 64 in 0.46 s (H200,
// driver 580). kernels/precompiled/README.md says how they are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/kernel_config.hpp"
#include "kernel/kernel_source.hpp"

namespace clgemm {

// The embedded files. Each has the programs of one kernel with one set of parameters. The build writes the
// list. It is empty if clgemm was built without zstd.
std::span<const EmbeddedFile> precompiled_programs();

// Returns the name of the file for a config's program, "tiled-TS32.cubin.zst".
std::string precompiled_file(const KernelConfig& config);

// Returns a hash of everything that affects a config's program. Empty lines, lines that are comments, and
// places of includes do not.
std::string precompiled_hash(const KernelConfig& config);

// Begins the line before each program of a file: "// program HASH FRAME", with the bytes of each work-item's
// stack frame.
inline constexpr std::string_view precompiled_mark = "// program ";

struct PrecompiledProgram {
  std::vector<unsigned char> binary;  // for OpenCL's clCreateProgramWithBinary()
  std::size_t spilled_bytes = 0;      // see build/spills.hpp
};

// Returns a config's program. Empty if there is none.
PrecompiledProgram precompiled_program(const KernelConfig& config);

// Returns the program with a hash from a compressed file. Empty if there is none, or if the file is damaged.
PrecompiledProgram program_with(const std::string& hash, std::string_view compressed);

// Returns a number that changes with the file that has a config's program; 0 if there is no such file.
std::uint64_t precompiled_version(const KernelConfig& config);

}  // namespace clgemm
