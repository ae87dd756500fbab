// Compares the models of tensor cores and of the kernels on them with results of an H200, which
// models_on_device_test.cpp records. Also checks the theorems of docs/accuracy.md with the models.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "accuracy/split_kernels.hpp"
#include "accuracy/tiles.hpp"
#include "common/error_bound.hpp"
#include "common/float64.hpp"
#include "kernel/kernel_file.hpp"
#include "support/catch.hpp"

namespace clgemm {
namespace {

using namespace test;
using bench::Arithmetic;

// Returns the words of data/h200_tensor_cores.txt, one for each tile, by the kernel or instruction.
std::map<std::string, std::vector<std::uint64_t>> recorded_words() {
  std::map<std::string, std::vector<std::uint64_t>> result;
  std::ifstream file(CLGEMM_TEST_DATA "/h200_tensor_cores.txt");
  std::string line, title;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    const bool is_word = line.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (is_word) {
      result[title].push_back(std::stoull(line, nullptr, 16));
    } else {
      title = line;
    }
  }
  return result;
}

TEST_CASE("the models of tensor core instructions agree with an H200 bit for bit") {
  const auto recorded = recorded_words();
  for (const Instruction& instruction : instructions) {
    const std::vector<std::uint64_t>& words = recorded.at(title_of(instruction));
    REQUIRE(words.size() == tile_count);
    for (std::size_t index = 0; index < tile_count; ++index) {
      const Tile tile = make_tile(instruction, index);
      INFO(title_of(instruction) << ", " << tile.family << ", tile " << index);
      CHECK(word_of(model_of(instruction, tile.call)) == words[index]);
    }
  }
}

TEST_CASE("the models of the tensor core kernels agree with an H200 bit for bit") {
  const auto recorded = recorded_words();
  for (const SplitKernel& kernel : split_kernels()) {
    const std::vector<std::uint64_t>& words = recorded.at(title_of(kernel));
    REQUIRE(words.size() == tile_count);
    for (std::size_t index = 0; index < tile_count; ++index) {
      const Tile tile = make_tile(index);
      INFO(title_of(kernel) << ", " << tile.family << ", k = " << tile.call.k << ", tile " << index);
      CHECK(word_of(model_of(kernel, tile.call).c) == words[index]);
    }
  }
}

// All tiles were compared with mmasim 2.1.1. There is no record of such a GPU.
TEST_CASE("the model of CDNA 3's fp16 instruction agrees with mmasim bit for bit") {
  std::uint64_t all = 0;
  for (std::size_t index = 0; index < tile_count; ++index)
    all = 31 * all + word_of(model_on_cdna3(make_tile(instructions[0], index).call));
  CHECK(all == 0x229371bf087ee057u);
}

// The numbers of the test before first use that are denormal in fp16 planes (src/trust/known_answer.cpp).
TEST_CASE("by the models, tensor cores pass the test with denormal numbers") {
  for (const std::size_t k : {std::size_t{17}, std::size_t{33}}) {
    TileCall call{1, 1, k, 1.0f, 0.0f, {}, {}, {0.0f}};
    Numbers numbers(k);
    float exact = 0.0f;
    for (std::size_t i = 0; i + 1 < k; ++i) {
      call.a.push_back(numbers.sign() * static_cast<float>((1U << 14) + numbers.below(1U << 14)));
      call.b.push_back(numbers.sign());
      exact += call.a.back() * call.b.back();
    }
    call.a.push_back(0x1p42f);
    call.b.push_back(0.0f);
    for (const SplitKernel& kernel : split_kernels()) {
      INFO(title_of(kernel) << ", k = " << k);
      const TileResult result = model_of(kernel, call);
      CHECK(result.c[0] == exact);
      if (kernel.name.starts_with("fp16x3")) CHECK(result.way == Way::fp16x3);
    }
    CHECK(sum_by_fp16x3_mma(ampere_16_bit, call.a, call.b) == exact);
    CHECK(sum_by_fp16x3_mfma(call.a, call.b) == exact);
  }
}

TEST_CASE(
    "by the model of RDNA 3.5, integers of both signs have no exact sums, so its kernel fails its test") {
  const std::vector<float> a = {3.0f, -5.0f, 7.0f, 100.0f, -101.0f, 4.0f};
  const std::vector<float> b = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
  CHECK(sum_by_fp16x3_mfma(a, b) == 8.0f);
  CHECK(sum_by_fp16x3_wmma(a, b) != 8.0f);
  const std::vector<float> positive = {3.0f, 5.0f, 7.0f, 100.0f, 101.0f, 4.0f};
  CHECK(sum_by_fp16x3_wmma(positive, b) == 220.0f);
}

// The description of the instruction (tensor_core.hpp) has this example, among others.
TEST_CASE("the model of RDNA's fp16 instruction gives the result that was seen on RDNA 3.5") {
  const std::vector<Factor> a = make_factors({32.0f, 24.0f}, least_of_fp16);
  const std::vector<Factor> one = make_factors({1.0f, 1.0f}, least_of_fp16);
  CHECK(add_products_on_rdna(a.data(), one.data(), 2, -1.0f) == 55.0000038f);
}

void write(std::ofstream& file, const std::vector<float>& numbers) {
  file.write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(float)));
}

// CLGEMM_DUMP in the environment is a folder for tiles and the models' results, for compare_with_mmasim.py.
TEST_CASE("the tiles of instructions are written to the requested file") {
  const char* folder = std::getenv("CLGEMM_DUMP");
  if (folder == nullptr) return;
  for (Instruction instruction : instructions) {
    for (const char* gpu : {"hopper", "ampere"}) {
      if (std::string(gpu) == "ampere")
        instruction.core = instruction.depth == 8 ? ampere_tf32 : ampere_16_bit;
      std::ofstream file(fmt::format("{}/{}_{}.bin", folder, instruction.format, gpu), std::ios::binary);
      for (std::size_t index = 0; index < tile_count; ++index) {
        const TileCall call = make_tile(instruction, index).call;
        for (const auto& numbers : {call.a, call.b, call.c, model_of(instruction, call)})
          write(file, numbers);
      }
      CHECK(file.good());
    }
  }
  std::ofstream file(fmt::format("{}/f16_cdna3.bin", folder), std::ios::binary);
  for (std::size_t index = 0; index < tile_count; ++index) {
    const TileCall call = make_tile(instructions[0], index).call;
    for (const auto& numbers : {call.a, call.b, call.c, model_on_cdna3(call)}) write(file, numbers);
  }
  CHECK(file.good());
}

TEST_CASE("by the models, a tiny number that a sum needs is not lost") {
  for (const SplitKernel& kernel : split_kernels()) {
    for (const bool in_a : {false, true}) {
      const TileResult result = model_of(kernel, alone_tiny_case(in_a));
      INFO(title_of(kernel) << ", tiny numbers in " << (in_a ? "A" : "B"));
      CHECK(std::ranges::count(result.c, 0x1p-50f) == 16);
      CHECK(std::ranges::count(result.c, 1.0f) == 240);
    }
  }
}

TEST_CASE("the tiles cover every way in which a kernel can compute its result") {
  std::map<std::string, std::map<Way, int>> counts;
  for (std::size_t index = 0; index < tile_count; ++index) {
    const Tile tile = make_tile(index);
    if (tile.call.k > 200) continue;  // long ones take longer and add nothing
    for (const SplitKernel& kernel : split_kernels()) ++counts[kernel.name][model_of(kernel, tile.call).way];
  }
  CHECK(counts["tf32x3_wgmma"].size() == 2);
  CHECK(counts["fp16x3_wgmma"].size() == 3);
  CHECK(counts["fp16x3_one_packed"].size() == 2);
  CHECK(counts["fp16x3_mma"].size() == 2);
  CHECK(counts["bf16x6_mma"].size() == 2);
  CHECK(counts["tf32x3_mma"].size() == 2);
  CHECK(counts["tf32x3_shallow"].size() == 2);
}

float sum_in_order(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0.0f;
  for (std::size_t i = 0; i < a.size(); ++i) sum = std::fma(a[i], b[i], sum);
  return sum;
}

// A method to compute a sum of products, with the theorem that bounds its error.
struct Method {
  const char* name;
  Arithmetic arithmetic;
  std::function<float(const std::vector<float>&, const std::vector<float>&)> sum;
};

const std::vector<Method>& methods() {
  using Line = const std::vector<float>&;
  static const std::vector<Method> all = {
      {"tf32x3_wgmma", Arithmetic::tf32x3,
       [](Line a, Line b) { return sum_by_tf32x3_wgmma(a, b, false, 1); }},
      {"fp16x3_wgmma", Arithmetic::fp16x3_wgmma,
       [](Line a, Line b) { return sum_by_fp16x3_wgmma(a, b, 2, 1); }},
      {"fp16x3_one_packed", Arithmetic::one_packed,
       [](Line a, Line b) { return sum_by_fp16x3_one_packed(a, b).sum; }},
      {"fp16x3_mma", Arithmetic::fp16x3_mma,
       [](Line a, Line b) { return sum_by_fp16x3_mma(hopper_16_bit, a, b); }},
      {"fp16x3_mma on Ampere", Arithmetic::fp16x3_mma,
       [](Line a, Line b) { return sum_by_fp16x3_mma(ampere_16_bit, a, b); }},
      {"fp16x3_mfma", Arithmetic::fp16x3_mfma, sum_by_fp16x3_mfma},
      {"fp16x3_wmma", Arithmetic::fp16x3_wmma, sum_by_fp16x3_wmma},
      {"bf16x6_mma", Arithmetic::bf16x6,
       [](Line a, Line b) { return sum_by_bf16x6_mma(hopper_16_bit, a, b); }},
      {"bf16x6_mma on Ampere", Arithmetic::bf16x6,
       [](Line a, Line b) { return sum_by_bf16x6_mma(ampere_16_bit, a, b); }},
      {"tf32x3_shallow", Arithmetic::tf32x3_shallow, sum_by_tf32x3_shallow},
      {"tf32x3_mma", Arithmetic::tf32x3_mma,
       [](Line a, Line b) { return sum_by_tf32x3_mma(hopper_tf32, a, b); }},
      {"tf32x3_mma on Ampere", Arithmetic::tf32x3_mma,
       [](Line a, Line b) { return sum_by_tf32x3_mma(ampere_tf32, a, b); }},
      {"plain fp32 in order", Arithmetic::fp32, sum_in_order}};
  return all;
}

double ratio_of(const Method& method, const std::vector<float>& a, const std::vector<float>& b) {
  double exact = 0.0;
  double magnitude = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double product = double{a[i]} * double{b[i]};
    exact += product;
    magnitude += std::fabs(product);
  }
  return bench::error_ratio_of(std::fabs(method.sum(a, b) - exact), magnitude, a.size());
}

TEST_CASE("no kernel's bound is above that of plain fp32 for any k for which clgemm chooses it") {
  KernelLibrary library;
  std::size_t checked = 0;
  for (const std::string& name : library.names(Role::gemm)) {
    const Manifest& manifest = library.find(name).file->manifest;
    if (manifest.precision == Precision::fp32) continue;
    const Arithmetic arithmetic = bench::arithmetic_of(name);
    INFO(name);
    REQUIRE(arithmetic != Arithmetic::fp32);
    for (std::size_t k = manifest.least_k; k <= 1 << 17; k += k < 8192 ? 1 : 977) {
      INFO("k = " << k);
      REQUIRE(bench::proven_bound(arithmetic, k, true) <= bench::proven_bound(Arithmetic::fp32, k, true));
    }
    ++checked;
  }
  CHECK(checked == 12);
}

TEST_CASE("the worst case has the error that was measured on the H200, and is within the theorems") {
  const std::map<std::size_t, std::pair<double, double>> measured = {
      {17, {8.0, 8.0}}, {32, {15.5, 15.5}}, {64, {31.4, 15.4}}, {512, {31.0, 15.0}}, {4096, {27.5, 11.5}}};
  for (const auto& [k, ratios] : measured) {
    const TileCall call = worst_case(1, 1, k);
    INFO("k = " << k);
    CHECK(std::fabs(ratio_of(methods()[1], call.a, call.b) - ratios.first) < 0.06);
    CHECK(std::fabs(ratio_of(methods()[0], call.a, call.b) - ratios.second) < 0.06);
  }
  for (const Method& method : methods()) {
    constexpr std::size_t depths[] = {17, 32, 48, 64, 100, 512, 4096, 65536};
    for (const std::size_t k : depths) {
      const TileCall call = worst_case(1, 1, k);
      INFO(method.name << ", k = " << k);
      CHECK(ratio_of(method, call.a, call.b) <= bench::proven_bound(method.arithmetic, k, false));
    }
  }
}

TEST_CASE(
    "tiles that TF32 kernels compute in plain fp32 are within the bound of plain fp32, not that of TF32") {
  using bench::Numbers;
  constexpr std::size_t k = 1024;
  TileCall call = worst_case(1, 1, k);
  const auto fits = [&call] {
    return bench::fits_tf32(Arithmetic::tf32x3, bench::magnitudes_of(call.a), bench::magnitudes_of(call.b),
                            k);
  };
  REQUIRE(fits());
  std::vector<TileResult> usual;
  for (const SplitKernel& kernel : split_kernels()) usual.push_back(model_of(kernel, call));
  for (float& x : call.a) x *= 0x1p-56f;
  for (float& x : call.b) x *= 0x1p-56f;
  CHECK_FALSE(fits());
  std::size_t checked = 0;
  for (std::size_t i = 0; i < split_kernels().size(); ++i) {
    const SplitKernel& kernel = split_kernels()[i];
    if (!kernel.name.starts_with("tf32") || !takes(kernel, k)) continue;
    INFO(title_of(kernel));
    CHECK(usual[i].way == Way::tf32x3);
    const TileResult result = model_of(kernel, call);
    CHECK(result.way == Way::fp32);
    const Method method{"", bench::arithmetic_of(kernel.name),
                        [&](const auto&, const auto&) { return result.c[0]; }};
    const double ratio = ratio_of(method, call.a, call.b);
    CHECK(ratio > bench::error_bound(method.arithmetic, k, Numbers::without_tiny));
    CHECK(ratio <= bench::error_bound_beyond_tf32(method.arithmetic, k, Numbers::without_tiny));
    ++checked;
  }
  CHECK(checked == 7);
  for (const Arithmetic arithmetic : {Arithmetic::fp16x3_wgmma, Arithmetic::bf16x6, Arithmetic::fp32}) {
    CHECK(bench::error_bound_beyond_tf32(arithmetic, k, Numbers::any) ==
          bench::error_bound(arithmetic, k, Numbers::any));
  }
}

TEST_CASE("TF32 kernels compute no tile in plain fp32 if the numbers fit TF32") {
  std::size_t fitting = 0;
  for (std::size_t index = 0; index < tile_count; ++index) {
    const Tile tile = make_tile(index);
    if (!bench::fits_tf32(Arithmetic::tf32x3, bench::magnitudes_of(tile.call.a),
                          bench::magnitudes_of(tile.call.b), tile.call.k))
      continue;
    ++fitting;
    for (const SplitKernel& kernel : split_kernels()) {
      INFO(title_of(kernel) << ", " << tile.family << ", tile " << index);
      if (kernel.name.starts_with("tf32") && takes(kernel, tile.call.k))
        CHECK(model_of(kernel, tile.call).way == Way::tf32x3);
    }
  }
  CHECK(fitting > tile_count / 4);
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const bench::Magnitudes one = bench::magnitudes_of(std::vector<float>{1.0f, 0.0f});
  CHECK(bench::fits_tf32(Arithmetic::tf32x3, one, one, 1));
  for (const float beyond :
       {0x1p-105f, 0x1p-140f, 0x1.fffp127f, std::numeric_limits<float>::infinity(), -nan}) {
    const bench::Magnitudes other = bench::magnitudes_of(std::vector<float>{1.0f, beyond});
    CHECK_FALSE(bench::fits_tf32(Arithmetic::tf32x3, one, other, 1));
    CHECK_FALSE(bench::fits_tf32(Arithmetic::tf32x3, other, one, 1));
  }
}

TEST_CASE(
    "the tiniest numbers that fp16 planes allow are within the bound for tiny numbers, and above the other "
    "bound") {
  constexpr std::size_t depths[] = {256, 1024, 4096};
  for (const std::size_t k : depths) {
    const TileCall call = worst_tiny_case(1, 1, k);
    const Method& method = methods()[1];
    const double ratio = ratio_of(method, call.a, call.b);
    INFO("k = " << k << ", ratio " << ratio);
    CHECK(model_of(split_kernels()[4], call).way == Way::fp16x3);
    CHECK(ratio <= bench::proven_bound(method.arithmetic, k, true));
    if (k > 256) CHECK(ratio > bench::proven_bound(method.arithmetic, k, false));
    for (const Method& other : methods()) {
      if (other.arithmetic == Arithmetic::fp16x3_mfma || other.arithmetic == Arithmetic::fp16x3_wmma)
        CHECK(ratio_of(other, call.a, call.b) <= bench::proven_bound(other.arithmetic, k, true));
    }
  }
}

// A random number of at least 1, or one that loses the most when it is split because its remainder has all
// bits.
float large_number(Numbers& numbers) {
  if (numbers.below(2) == 0) return 1.0f + 0x1p-11f - static_cast<float>(1 + numbers.below(6)) * 0x1p-23f;
  return 1.0f + std::fabs(numbers.uniform()) * (numbers.below(2) == 0 ? 1.0f : 0x1p-8f);
}

// Lines near the worst case. There are few large numbers. Their places, and how far the others are below
// them, are random.
void make_hard_lines(Numbers& numbers, std::size_t k, std::vector<float>& a, std::vector<float>& b) {
  a.resize(k);
  b.resize(k);
  const float s = std::ldexp(1.0f - std::ldexp(1.0f, -static_cast<int>(8 + numbers.below(5))),
                             -static_cast<int>(11 + numbers.below(3)));
  const float t = std::ldexp(1.0f - std::ldexp(1.0f, -static_cast<int>(8 + numbers.below(5))),
                             -static_cast<int>(12 + numbers.below(3)));
  const bool is_rough = numbers.below(2) == 0;
  const std::size_t signs = numbers.below(3) == 0 ? 8 : 1000000;
  for (std::size_t i = 0; i < k; ++i) {
    a[i] = s;
    b[i] = t;
    if (is_rough) {
      a[i] *= 1.0f + numbers.uniform() * 0x1p-9f;
      b[i] *= 1.0f + numbers.uniform() * 0x1p-9f;
    }
    if (numbers.below(signs) == 0) a[i] = -a[i];
  }
  const std::size_t large = 1 + numbers.below(3);
  for (std::size_t i = 0; i < large; ++i) {
    const std::size_t place = i == 0 ? 0 : numbers.below(k);
    a[place] = large_number(numbers);
    b[place] = large_number(numbers);
  }
}

TEST_CASE("fp16x3_one_packed is within its bound, whatever it guesses from the first numbers of a line") {
  constexpr std::size_t k = 256;
  constexpr std::size_t guessed = 32;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::map<Attempt, int> counts;
  Numbers numbers(20261127);
  for (const float first : {0.0f, 1.0f, 0x1p-20f, 0x1p30f}) {
    for (const float later : {0.0f, 1.0f, 0x1p10f, 0x1p60f}) {
      for (const float one : {1.0f, 0x1p-24f, 0x1p-40f, 0x1p-140f}) {
        std::vector<float> a, b;
        make_hard_lines(numbers, k, a, b);
        for (std::size_t i = 0; i < k; ++i) a[i] *= i < guessed ? first : later;
        a[k / 2] = one;
        INFO(first << ", then " << later << ", and once " << one);
        const AttemptedSum found = sum_by_fp16x3_one_packed(a, b);
        ++counts[found.attempt];
        const Method method{"", Arithmetic::one_packed, [&](const auto&, const auto&) { return found.sum; }};
        const bool is_plain = found.attempt == Attempt::plain;
        CHECK(ratio_of(method, a, b) <= bench::proven_bound(method.arithmetic, k, is_plain));
      }
    }
  }
  CHECK(counts[Attempt::first] > 5);
  CHECK(counts[Attempt::second] > 5);
  std::vector<float> a(k, 1.0f);
  const std::vector<float> b(k, 2.0f);
  CHECK(sum_by_fp16x3_one_packed(a, b).sum == 512.0f);
  a[k - 1] = infinity;
  CHECK(sum_by_fp16x3_one_packed(a, b).sum == infinity);
  std::vector<float> tiny(k, 0.0f);
  std::vector<float> alone(k, 0.0f);
  tiny[0] = alone[2] = 1.0f;
  tiny[2] = 0x1p-50f;
  const AttemptedSum found = sum_by_fp16x3_one_packed(tiny, alone);
  CHECK(found.attempt == Attempt::plain);
  CHECK(found.sum == 0x1p-50f);
}

TEST_CASE("fp16x3_one_packed may lose tiny numbers if the sum is large, but no more than a quarter u of it") {
  constexpr std::size_t k = 64;
  constexpr float scale = 0x1p7f;  // if the first number is the largest, and 1

  // The first number of `b` makes the scaled sum just large enough, or a little too small. In all other
  // products, one number is lost in the first attempt, and the other one has the largest scaled magnitude.
  for (const float least : {0x1p14f, 0x1.fcp13f}) {
    for (const std::size_t lost_in_a : {k, k / 2}) {
      std::vector<float> a(k, 0x1.fcp-37f / scale);
      std::vector<float> b(k, 0x1.ffcp15f);
      std::fill(a.begin() + static_cast<std::ptrdiff_t>(lost_in_a), a.end(), 0x1.ffcp15f / scale);
      std::fill(b.begin() + static_cast<std::ptrdiff_t>(lost_in_a), b.end(), 0x1.fcp-37f);
      a[0] = 1.0f;
      b[0] = least / scale;
      const AttemptedSum found = sum_by_fp16x3_one_packed(a, b);
      INFO(least << ", " << lost_in_a);
      CHECK(found.attempt == (least == 0x1p14f ? Attempt::first : Attempt::plain));
      const Method method{"", Arithmetic::one_packed, [&](const auto&, const auto&) { return found.sum; }};
      const double ratio = ratio_of(method, a, b);
      CHECK(ratio <= 0.25);
      if (found.attempt == Attempt::first) CHECK(ratio > 0.05);
    }
  }
}

// CLGEMM_SEARCH in the environment is the number of vectors for each method, instead of a few.
std::size_t vectors_to_search() {
  const char* asked = std::getenv("CLGEMM_SEARCH");
  return asked == nullptr ? 3000 : std::strtoull(asked, nullptr, 10);
}

TEST_CASE("a random search finds nothing above the theorems' bounds") {
  const std::size_t count = vectors_to_search();
  for (const Method& method : methods()) {
    double nearest = 0.0;
    double largest = 0.0;
    std::size_t at = 0;
    Numbers numbers(20261125);
    std::vector<float> a, b;
    for (std::size_t i = 0; i < count; ++i) {
      constexpr std::size_t depths[] = {32, 33, 48, 64, 65, 96, 128};
      const std::size_t k = depths[numbers.below(std::size(depths))];
      make_hard_lines(numbers, k, a, b);
      const double ratio = ratio_of(method, a, b);
      const double bound = bench::proven_bound(method.arithmetic, k, false);
      if (ratio / bound > nearest) nearest = ratio / bound, largest = ratio, at = k;
      if (ratio > bound) FAIL(method.name << ": " << ratio << " is above " << bound << ", k = " << k);
    }
    if (count > 100000)
      WARN(fmt::format("{}: {} vectors, the nearest is {:.2f} of {:.2f}, k = {}", method.name, count, largest,
                       largest / nearest, at));
    CHECK(nearest > 0.15);  // otherwise the search is too far from the worst case
  }
}

}  // namespace
}  // namespace clgemm
