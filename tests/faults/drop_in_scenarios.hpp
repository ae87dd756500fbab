// Calls of the drop-in BLAS, which always returns with the right C, because the CPU does what the device
// fails to do.
#pragma once

#include <string>
#include <vector>

#include "scenario.hpp"

namespace clgemm::test {

// The functions of the drop-in that take the same arguments. Each call uses the next one of them.
using BlasNames = std::vector<std::string>;

MakeScenario fortran_blas(const BlasNames& names, bool on_copies);
MakeScenario long_fortran_blas(const BlasNames& names);
MakeScenario cblas(const BlasNames& names, bool on_copies);
MakeScenario long_cblas(const BlasNames& names);
MakeScenario strided_cblas(const BlasNames& names);
MakeScenario long_strided_cblas(const BlasNames& names);
MakeScenario batched_cblas(const BlasNames& names);
MakeScenario long_batched_cblas(const BlasNames& names);

}  // namespace clgemm::test
