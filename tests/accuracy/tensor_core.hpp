// A bit-accurate model of an NVIDIA tensor core, for the models of our kernels (split_kernels.hpp). NVIDIA
// documents none of this. The model is that of two published simulators, which their authors compare with
// hardware: mmasim (PyPI, version 2.1.1: T_FDPA) and MATLAB-tensor-core (H100TC, A100TC).
// tensor_core_test.cpp compares it with results of an H200.
//
// One addition takes several products and the sum so far. It aligns all of them to the largest exponent, and
// cuts off the bits of each beyond `fraction_bits` after the binary point. Then it adds exactly, and cuts the
// result off to fp32. The exponent of a product is the sum of its factors' exponents, so a product is not
// normalised. A denormal factor has the least exponent of its format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace clgemm::test {

struct TensorCore {
  std::size_t together;  // the number of products that one addition takes
  int fraction_bits;     // 23 and the additional ones
};

inline constexpr TensorCore hopper_16_bit{16, 25};  // fp16 and bf16; Blackwell is the same
inline constexpr TensorCore hopper_tf32{8, 25};
inline constexpr TensorCore ampere_16_bit{8, 24};  // Ada is the same, and Turing for fp16
inline constexpr TensorCore ampere_tf32{4, 24};

// The least exponents of normal numbers of the formats.
inline constexpr int least_of_fp16 = -14;
inline constexpr int least_of_bf16 = -126;
inline constexpr int least_of_tf32 = -126;

// A factor of at most 11 bits: significand * 2^(exponent - 10).
struct Factor {
  std::int32_t significand;
  std::int32_t exponent;
  float value;  // for an Inf or a NaN, which have no significand
};

// `value` is a number of the format. If it has more bits, the tensor core drops the last 13, which makes it
// TF32.
Factor make_factor(float value, int least_exponent);
std::vector<Factor> make_factors(const std::vector<float>& values, int least_exponent);

// Returns sum + a[0] b[0] + a[1] b[1] + ..., computed in additions of `core.together` products. `count` is a
// multiple of that.
float add_products(const TensorCore& core, const Factor* a, const Factor* b, std::size_t count, float sum);

// The same with the matrix units of AMD's CDNA 3, for fp16: v_mfma_f32_16x16x16_f16. The model is mmasim's
// (TR_FDPA). One addition takes 8 products. It aligns them to the largest exponent among them, cuts off the
// bits of each beyond 24 after the binary point, and adds exactly. Then it aligns this and the sum so far to
// the larger exponent, and rounds the sum so far down to 24 bits after the point. At last, it rounds the
// result to the nearest fp32 number. Denormal numbers count. There is no record of such a GPU.
float add_products_on_cdna3(const Factor* a, const Factor* b, std::size_t count, float sum);

// The same with the matrix units of AMD's RDNA, for fp16: v_wmma_f32_16x16x16_f16. No simulator has it. An
// issue of ROCm (rocm-systems, 12056) describes V_DOT2_F32_F16 by experiments on RDNA 3.5, and says that WMMA
// differs from an emulator in the same way. So the model is a sequence of additions that each take two
// products. An addition aligns them and the sum so far to the largest exponent, cuts off the bits of each
// beyond 24 after the binary point, and adds. Each term whose sign is not the sum's is one unit of the last
// bit too large. The result is rounded to the nearest fp32 number. The exponent of a product is as above.
float add_products_on_rdna(const Factor* a, const Factor* b, std::size_t count, float sum);

}  // namespace clgemm::test
