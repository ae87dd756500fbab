// Bit-accurate models of what the tensor core kernels compute for one tile of C. They split numbers, multiply
// and add in the same order, restart sums from zero at the same points, leave a tile to a fallback kernel
// when the kernel does, and write the same results to C. Each function follows its kernel file.
// models_on_device_test.cpp compares them with a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "accuracy/tensor_core.hpp"

namespace clgemm::test {

// C <- alpha A B + beta C for a C of one tile. A has `rows` lines along k, B `columns` lines along k.
struct TileCall {
  std::size_t rows, columns, k;
  float alpha, beta;
  std::vector<float> a, b;  // line after line
  std::vector<float> c;     // row after row
};

// A kernel with those of its parameters that affect the results.
struct SplitKernel {
  std::string name;  // the name of the kernel file
  std::map<std::string, std::int64_t> parameters;

  std::int64_t parameter(const std::string& of, std::int64_t otherwise) const;
};

// "bf16x6_mma,TILE_M=64,TILE_N=64"
std::string title_of(const SplitKernel& kernel);

// The method that computed a tile: the kernel's own, or that of a fallback.
enum class Way { fp32, tf32x3, fp16x3, bf16x6 };

struct TileResult {
  std::vector<float> c;
  Way way;
};

// Returns true if the kernel computes so small a k in its own way, and a larger one in plain fp32.
bool takes(const SplitKernel& kernel, std::size_t k);

// Returns the kernels that have a model.
const std::vector<SplitKernel>& split_kernels();

TileResult model_of(const SplitKernel& kernel, const TileCall& call);

// Returns the sum for one pair of lines, without an epilogue and without the fallback, for searches.
float sum_by_fp16x3_wgmma(const std::vector<float>& a, const std::vector<float>& b, std::size_t step,
                          std::size_t slices);

// The way in which kernels/fp16x3_one_packed.cl comes to a sum: with the exponent that it guesses for a line
// of `a`, with the exponent that the line needs, or in plain fp32. Here the tile has only this sum.
enum class Attempt { first, second, plain };
struct AttemptedSum {
  float sum;
  Attempt attempt;
};
AttemptedSum sum_by_fp16x3_one_packed(const std::vector<float>& a, const std::vector<float>& b);

float sum_by_tf32x3_wgmma(const std::vector<float>& a, const std::vector<float>& b, bool swap,
                          std::size_t slices);
float sum_by_tf32x3_shallow(const std::vector<float>& a, const std::vector<float>& b);
float sum_by_tf32x3_mma(const TensorCore& core, const std::vector<float>& a, const std::vector<float>& b);
float sum_by_fp16x3_mma(const TensorCore& core, const std::vector<float>& a, const std::vector<float>& b);
float sum_by_fp16x3_mfma(const std::vector<float>& a, const std::vector<float>& b);
float sum_by_fp16x3_wmma(const std::vector<float>& a, const std::vector<float>& b);
float sum_by_bf16x6_mma(const TensorCore& core, const std::vector<float>& a, const std::vector<float>& b);

}  // namespace clgemm::test
