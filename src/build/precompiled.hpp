// Programs that were compiled when clgemm was made. The library has them as PTX, compressed by zstd. NVIDIA's
// driver assembles PTX in about a third of the time that it takes to compile the source (H200, driver 580).
// kernels/precompiled/README.md says how they are made.
#pragma once

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

// Returns the name of the file for a config's program, "tiled-TS32.ptx.zst".
std::string precompiled_file(const KernelConfig& config);

// Returns the line before a config's program in its file. It begins with the following words and has a hash
// of everything that affects the PTX. Empty lines, lines that are comments, and places of includes do not.
inline constexpr std::string_view precompiled_mark_begin = "// program ";
std::string precompiled_mark(const KernelConfig& config);

// Returns the PTX of a config's program for OpenCL's clCreateProgramWithBinary(). Empty if there is none.
std::vector<unsigned char> precompiled_ptx(const KernelConfig& config);

// Returns the PTX behind a mark in a compressed file. Empty if there is none, or if the file is damaged.
std::vector<unsigned char> ptx_behind(const std::string& mark, std::string_view compressed);

// Returns the PTX of a program as it is kept: for all drivers that know Hopper's instructions, without
// anything behind the text. Throws Error(build_failed) if it is no PTX.
std::string ptx_to_keep(std::string_view binary);

}  // namespace clgemm
