// An NVIDIA tensor core, bit by bit, for the models of our kernels (split_kernels.hpp). NVIDIA documents none
// of it. The model is the one of two published simulators, which their authors hold against hardware: mmasim
// (PyPI, version 2.1.1: T_FDPA) and MATLAB-tensor-core (H100TC, A100TC). tensor_core_test.cpp holds it
// against results of an H200.
//
// One addition takes so many products and the sum so far. It aligns all of them to the largest exponent, cuts
// off what is below `fraction_bits` behind the binary point of each, adds exactly, and cuts the result off to
// fp32. The exponent of a product is the sum of its factors' exponents, so it is not normalised; a denormal
// factor has the least exponent of its format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace clgemm::test {

struct TensorCore {
  std::size_t together;  // products that one addition takes
  int fraction_bits;     // 23 and the extra ones
};

inline constexpr TensorCore hopper_16_bit{16, 25};  // fp16 and bf16; Blackwell's are alike
inline constexpr TensorCore hopper_tf32{8, 25};
inline constexpr TensorCore ampere_16_bit{8, 24};  // Ada's are alike
inline constexpr TensorCore ampere_tf32{4, 24};

// The least exponent of a normal number of a format.
inline constexpr int least_of_fp16 = -14;
inline constexpr int least_of_bf16 = -126;
inline constexpr int least_of_tf32 = -126;

// A factor of 11 bits at most: significand * 2^(exponent - 10).
struct Factor {
  std::int32_t significand;
  std::int32_t exponent;
  float value;  // of an Inf or a NaN, which have no significand
};

// `value` is a number of the format; of a number that is longer the tensor core drops the last 13 bits, which
// makes it TF32.
Factor make_factor(float value, int least_exponent);
std::vector<Factor> make_factors(const std::vector<float>& values, int least_exponent);

// sum + a[0] b[0] + a[1] b[1] + ..., in additions of `core.together` products, of which `count` is a
// multiple.
float add_products(const TensorCore& core, const Factor* a, const Factor* b, std::size_t count, float sum);

}  // namespace clgemm::test
