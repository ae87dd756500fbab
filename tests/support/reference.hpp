// What a result must be: the multiply in float64, and how far a result may lie from it.
#pragma once

#include <vector>

#include "multiply.hpp"

namespace clgemm::test {

// The largest |C - ref| / (2^-24 * (|alpha| |A||B| + |beta| |C0|)) over all elements; infinite where a result
// is NaN, or differs although nothing may.
double error_ratio(const Multiply& multiply, const Data& before, const std::vector<float>& c);

// What error_ratio() of random numbers may be, whichever kernel multiplied.
double error_bound(const Multiply& multiply);

// The result in float64, by rows, without gaps.
std::vector<double> reference_result(const Multiply& multiply, const Data& before);

}  // namespace clgemm::test
