// Compares the models of tensor cores and of the kernels on them with the device, bit for bit.
// data/h200_tensor_cores.txt has the recorded results of an NVIDIA H200. tensor_core_test.cpp compares the
// models with these, without a GPU. To record them again, on a Hopper GPU:
//
//     CLGEMM_RECORD=tests/data/h200_tensor_cores.txt build/release/tests/tests_on_device -#
//     "[#models_on_device_test]"
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "accuracy/split_kernels.hpp"
#include "accuracy/tiles.hpp"
#include "support/catch.hpp"
#include "support/on_device.hpp"

namespace clgemm {
namespace {

using namespace test;

// Writes the device's results to the file that CLGEMM_RECORD names, if it is set.
class Record {
 public:
  Record() {
    const char* file = std::getenv("CLGEMM_RECORD");
    if (file == nullptr) return;
    file_.open(file);
    const Device& device = shared_device_info();
    file_ << "# " << device.name << ", driver " << device.driver_version
          << ": a word for the bits of each tile (accuracy/tiles.hpp), by what computed them\n";
  }

  void begin(const std::string& title) {
    if (file_.is_open()) file_ << title << '\n';
  }
  void keep(const std::vector<float>& results) {
    if (file_.is_open()) file_ << fmt::format("{:016x}\n", word_of(results));
  }

 private:
  std::ofstream file_;
};

Record& record() {
  static Record one;
  return one;
}

// B's columns are contiguous along k, as in the transpose of a row-major matrix.
std::vector<float> run(const SplitKernel& kernel, const TileCall& call) {
  Options options;
  options.kernel = kernel.name;
  options.parameters = kernel.parameters;
  const cl::Buffer a = make_buffer(call.a);
  const cl::Buffer b = make_buffer(call.b);
  const cl::Buffer c = make_buffer(call.c);
  shared_context().sgemm(shared_queue()(), Layout::row_major, Transpose::no, Transpose::yes, call.rows,
                         call.columns, call.k, call.alpha, {a(), call.k}, {b(), call.k}, call.beta,
                         {c(), call.columns}, {}, nullptr, options);
  return read_buffer(c);
}

// One warp executes one instruction. A line along k is eight words, with two 16-bit numbers or one TF32
// number each.
cl::Kernel kernel_of(const Instruction& instruction) {
  const cl::Program program(
      shared_cl_context(),
      fmt::format(
          R"(__kernel void multiply(__global const uint* a, __global const uint* b, __global float* c) {{
  const int lane = get_local_id(0), line = lane / 4, word = lane % 4, column = lane % 4 * 2;
  const uint a0 = a[line * 8 + word], a1 = a[(line + 8) * 8 + word];
  const uint a2 = a[line * 8 + word + 4], a3 = a[(line + 8) * 8 + word + 4];
  const uint b0 = b[line * 8 + word], b1 = b[line * 8 + word + 4];
  float d0 = c[line * 8 + column], d1 = c[line * 8 + column + 1];
  float d2 = c[(line + 8) * 8 + column], d3 = c[(line + 8) * 8 + column + 1];
  asm volatile("mma.sync.aligned.m16n8k{0}.row.col.f32.{1}.{1}.f32 {{%0, %1, %2, %3}}, {{%4, %5, %6, %7}}, {{%8, %9}}, {{%0, %1, %2, %3}};"
               : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  c[line * 8 + column] = d0, c[line * 8 + column + 1] = d1;
  c[(line + 8) * 8 + column] = d2, c[(line + 8) * 8 + column + 1] = d3;
}})",
          instruction.depth, instruction.format));
  program.build();
  return cl::Kernel(program, "multiply");
}

std::uint32_t bits_of(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

// Returns the bits of a number in the instruction's format.
std::uint32_t bits_in(const Instruction& instruction, float x) {
  if (instruction.depth == 8) return bits_of(x);
  if (instruction.least_exponent != least_of_fp16) return bits_of(x) >> 16;
  const std::uint32_t sign = bits_of(x) >> 16 & 0x8000u;
  if (std::isnan(x)) return sign | 0x7e00u;
  if (std::isinf(x)) return sign | 0x7c00u;
  if (std::fabs(x) < 0x1p-14f) return sign | static_cast<std::uint32_t>(std::fabs(x) * 0x1p24f);
  return sign | ((bits_of(x) & 0x7fffffffu) - ((127u - 15u) << 23)) >> 13;
}

// Returns the words as floats, so that they can be written like the sums.
std::vector<float> words_of(const Instruction& instruction, const std::vector<float>& numbers) {
  std::vector<float> words;
  const std::size_t in_word = instruction.depth == 8 ? 1 : 2;
  for (std::size_t i = 0; i < numbers.size(); i += in_word) {
    std::uint32_t word = bits_in(instruction, numbers[i]);
    if (in_word == 2) word |= bits_in(instruction, numbers[i + 1]) << 16;
    words.push_back(std::bit_cast<float>(word));
  }
  return words;
}

std::vector<float> run(cl::Kernel& kernel, const Instruction& instruction, const TileCall& call) {
  const cl::Buffer a = make_buffer(words_of(instruction, call.a));
  const cl::Buffer b = make_buffer(words_of(instruction, call.b));
  const cl::Buffer c = make_buffer(call.c);
  kernel.setArg(0, a);
  kernel.setArg(1, b);
  kernel.setArg(2, c);
  shared_queue().enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(32), cl::NDRange(32));
  return read_buffer(c);
}

// Describes the first few results that differ. All NaN are equal.
std::string differing(const std::vector<float>& device, const std::vector<float>& model) {
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (bits_of(device[i]) == bits_of(model[i]) || (std::isnan(device[i]) && std::isnan(model[i]))) continue;
    if (++count <= 4)
      text += fmt::format(" [{}] {:08x} model {:08x}", i, bits_of(device[i]), bits_of(model[i]));
  }
  return count == 0 ? "" : fmt::format("{} differ:{}", count, text);
}

bool is_on_hopper() {
  if (shared_device_info().nvidia_sm == 90) return true;
  WARN("NOT TESTED: models of Hopper's tensor cores, because this device has none");
  return false;
}

TEST_CASE("the models of tensor core instructions agree with the device bit for bit") {
  if (!is_on_hopper()) return;
  for (const Instruction& instruction : instructions) {
    cl::Kernel kernel = kernel_of(instruction);
    record().begin(title_of(instruction));
    for (std::size_t index = 0; index < tile_count; ++index) {
      const Tile tile = make_tile(instruction, index);
      const std::vector<float> results = run(kernel, instruction, tile.call);
      record().keep(results);
      INFO(title_of(instruction) << ", " << tile.family << ", tile " << index);
      CHECK(differing(results, model_of(instruction, tile.call)) == "");
    }
  }
}

TEST_CASE("the models of the tensor core kernels agree with the device bit for bit") {
  if (!is_on_hopper()) return;
  for (const SplitKernel& kernel : split_kernels()) {
    record().begin(title_of(kernel));
    for (std::size_t index = 0; index < tile_count; ++index) {
      const Tile tile = make_tile(index);
      const std::vector<float> results = run(kernel, tile.call);
      record().keep(results);
      INFO(title_of(kernel) << ", " << tile.family << ", k = " << tile.call.k << ", tile " << index);
      CHECK(differing(results, model_of(kernel, tile.call).c) == "");
    }
    constexpr std::size_t tiny_depths[] = {256, 1024, 4096};
    for (const std::size_t k : tiny_depths) {
      const TileCall call = worst_tiny_case(16, 16, k);
      INFO(title_of(kernel) << ", worst tiny case, k = " << k);
      CHECK(differing(run(kernel, call), model_of(kernel, call).c) == "");
    }
    for (const bool in_a : {false, true}) {
      const TileCall call = alone_tiny_case(in_a);
      INFO(title_of(kernel) << ", tiny numbers in " << (in_a ? "A" : "B"));
      CHECK(differing(run(kernel, call), model_of(kernel, call).c) == "");
    }
  }
}

}  // namespace
}  // namespace clgemm
