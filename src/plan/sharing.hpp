// How the work-groups divide C among them. Layer 4.
#pragma once

#include "plan/plan.hpp"

namespace clgemm {

// Sets group_rows and group_columns: the kernel's tile, or for a kernel that takes shares such as keep all
// compute units busy to the end. The plan's blocks are known.
void divide_among_groups(Plan& plan);

}  // namespace clgemm
