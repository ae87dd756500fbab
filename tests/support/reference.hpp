// The expected result: the GEMM in float64, and the largest error that a result may have.
#pragma once

#include <vector>

#include "gemm_case.hpp"

namespace clgemm::test {

// Returns the largest |C - ref| / (2^-24 * (|alpha| |A||B| + |beta| |C0|)) over all elements. Returns
// infinity if a result is NaN, or if it differs although the divisor is 0.
double error_ratio(const GemmCase& gemm, const Data& before, const std::vector<float>& c);

// Returns the largest error_ratio() for random numbers and any kernel.
double error_bound(const GemmCase& gemm);

// Returns the result in float64, row-major, without gaps.
std::vector<double> reference_result(const GemmCase& gemm, const Data& before);

}  // namespace clgemm::test
