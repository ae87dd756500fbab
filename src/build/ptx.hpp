// NVIDIA's compiler of OpenCL C writes PTX for a general target like sm_90, which lacks the instructions of
// the architecture's own, like sm_90a. Kernels keep these behind a marker in their inline assembly, where
// they are comments, and this stage of the build takes the PTX to the target that knows them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clgemm {

// In front of each line of inline assembly that only the architecture's own target knows.
inline constexpr std::string_view ptx_marker = "//@@";

// The PTX with `.target` changed and every marker gone. The target must be the one that the compiler wrote,
// with a letter behind it. Throws Error(build_failed) where the text is no PTX, is for another target, or has
// no marker.
std::string retargeted_ptx(std::string_view ptx, std::string_view target);

// The PTX with a limit to a work-item's registers (`.maxnreg`), which OpenCL C cannot say; the compiler's own
// option for it is overlooked where a kernel requires its work-group's size. Unchanged where the text is not
// that of one kernel with such a size.
std::string limited_ptx(std::string_view ptx, std::size_t registers);

}  // namespace clgemm
