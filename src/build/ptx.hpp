// NVIDIA's compiler of OpenCL C writes PTX for a general target like sm_90. This target lacks the
// instructions of the architecture-specific target, like sm_90a. Kernels hide these instructions in comments
// of their inline assembly, behind a marker. This stage of the build changes the PTX to the target that knows
// them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clgemm {

// Marks a line of inline assembly that only the architecture-specific target knows.
inline constexpr std::string_view ptx_marker = "//@@";

// Returns the PTX with another `.target` and without markers. `target` must be the one that the compiler
// wrote, followed by a letter. Throws Error(build_failed) if the text is not PTX, is for another target, or
// has no marker.
std::string retargeted_ptx(std::string_view ptx, std::string_view target);

// Returns the PTX with a limit for a work-item's registers (`.maxnreg`), which OpenCL C cannot express. The
// compiler's own option for this limit is ignored if a kernel requires a work-group size. Returns the text
// unchanged if it is not that of one kernel with such a size.
std::string limited_ptx(std::string_view ptx, std::size_t registers);

}  // namespace clgemm
