// fp32 as fp16 planes with an exponent for each line. The packing is compared with a model in plain C++. The
// tests also check for which numbers the device uses planes, and a complete GEMM on planes, with a kernel
// that needs no tensor cores (data/kernels/from_fp16_planes.cl).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "support/catch.hpp"
#include "support/on_device.hpp"
#include "support/planes.hpp"
#include "support/reference.hpp"
#include "support/temporary.hpp"

namespace clgemm {
namespace {

using namespace test;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();
constexpr int header = 64;  // words before a strip of 64 lines

// Returns the nearest fp16, with ties to even.
double nearest_half(double value) {
  if (value == 0.0) return 0.0;
  const double unit = std::ldexp(1.0, std::max(std::ilogb(value), -14) - 10);
  return std::nearbyint(value / unit) * unit;
}

double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  REQUIRE(exponent < 31);
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

PackedWords pack(const PackingSource& source) {
  return pack_both("pack_both_fp16_planes", source);
}

// The layout of common/planes.cl and common/fp16_planes.cl, computed in another way.
std::size_t strip_words(const PackedWords& packed) {
  return header + static_cast<std::size_t>(packed.depth) * 64;
}

int exponent_at(const PackedWords& packed, int line) {
  const std::size_t index =
      static_cast<std::size_t>(line / 64) * strip_words(packed) + static_cast<std::size_t>(line % 64);
  return static_cast<int>(bits_of(packed.words.at(index)));
}

double plane_at(const PackedWords& packed, int plane, int line, int deep) {
  const int piece = ((line % 64 / 8 * 2 + plane) * 2 + deep % 16 / 8) * 8 + line % 8;
  const auto in_strip = static_cast<std::size_t>(deep / 16 * 64 * 16 * 2 + piece * 8 + deep % 8);
  return half_value(
      packed.half_word((static_cast<std::size_t>(line / 64) * strip_words(packed) + header) * 2 + in_strip));
}

double largest_of_line(const PackingSource& source, int line) {
  double result = 0;
  for (int deep = 0; deep < source.depth; ++deep) {
    result = std::max(result, std::fabs(double{source.at(line, deep)}));
  }
  return result;
}

// Returns how many numbers are not split correctly with their line's exponent.
int wrong_of_line(const PackingSource& source, const PackedWords& packed, int line) {
  const int exponent = exponent_at(packed, line);
  int wrong = 0;
  for (int deep = 0; deep < packed.depth; ++deep) {
    const double value = std::ldexp(double{source.at(line, deep)}, -exponent);
    const double high = plane_at(packed, 0, line, deep);
    const double low = plane_at(packed, 1, line, deep);
    if (high != nearest_half(value) || low != nearest_half((value - high) * 2048)) ++wrong;
    // The bound of docs/accuracy.md.
    if (std::fabs(high + low / 2048 - value) > std::max(0x1p-23 * std::fabs(value), 0x1p-36)) ++wrong;
  }
  return wrong;
}

void check_packed(const PackingSource& source) {
  const PackedWords packed = pack(source);
  INFO(source.lines << " x " << source.depth << ", along k: " << source.along_k << ", ld " << source.ld);
  double most = 0;
  double least = std::numeric_limits<double>::infinity();
  int wrong = 0;
  for (int line = 0; line < packed.lines; ++line) {
    const double of_line = largest_of_line(source, line);
    const int exponent = exponent_at(packed, line);
    most = std::max(most, of_line);
    wrong += wrong_of_line(source, packed, line);
    if (of_line == 0) continue;
    const double scaled = std::ldexp(of_line, -exponent);
    // The largest is below the number that fp16 rounds up to 2^16. It is not far below, but leaves one bit of
    // room for later numbers.
    if (scaled >= 65520) ++wrong;
    if (scaled < (source.depth > 1024 ? 16380 : 32760) && exponent > -126) ++wrong;
    for (int deep = 0; deep < source.depth; ++deep) {
      const double value = std::fabs(std::ldexp(double{source.at(line, deep)}, -exponent));
      if (value != 0) least = std::min(least, value);
    }
  }
  CHECK(wrong == 0);
  // Devices with smaller work-groups get the same planes.
  const PackedWords by_fewer = pack_both("pack_both_fp16_planes", source, {{"ITEMS", 256}});
  CHECK(std::memcmp(by_fewer.words.data(), packed.words.data(), packed.words.size() * sizeof(float)) == 0);
  CHECK(by_fewer.notes[1] == packed.notes[1]);
  CHECK(double{float_of(packed.notes[0])} == most);
  CHECK(double{float_of(~packed.notes[1])} == least);
}

TEST_CASE(
    "the packing splits every number into two planes, with an exponent for its line, and pads with zeros") {
  for (const bool along_k : {true, false}) {
    check_packed(make_source(1, 1, along_k, 0, 0));
    check_packed(make_source(64, 64, along_k, 0, 0));
    check_packed(make_source(65, 33, along_k, 0, 0));
    check_packed(make_source(100, 150, along_k, 7, 3));
    check_packed(make_source(63, 96, along_k, 4, 4));
    check_packed(make_source(70, 2101, along_k, 3, 0));
  }
}

TEST_CASE("a line's largest number is not rounded up beyond the range of fp16") {
  for (const bool along_k : {true, false}) {
    for (const float most : {0x1.ffdep0f, 0x1.ffdffep0f, 0x1.ffep0f, 0x1.fffffep0f, 1.0f}) {
      PackingSource source = make_source(10, 20, along_k, 0, 0);
      source.memory[source.index(4, 6)] = -most;
      check_packed(source);
    }
  }
}

TEST_CASE("lines of any magnitude are split in the same way, even denormal ones") {
  for (const bool along_k : {true, false}) {
    PackingSource source = make_source(90, 50, along_k, 0, 0);
    for (int line = 0; line < source.lines; ++line) {
      for (int deep = 0; deep < source.depth; ++deep) {
        float& value = source.memory[source.index(line, deep)];
        value = std::ldexp(value, std::max(line * 3 - 143, -122));
      }
    }
    source.memory[source.index(89, 0)] = largest;
    check_packed(source);
  }
}

TEST_CASE("a line with larger later numbers gets an exponent for these") {
  for (const bool along_k : {true, false}) {
    for (const float factor : {1.7f, 3.0f, 7.9f, 20.0f, 1e6f}) {
      PackingSource source = make_source(70, 1300, along_k, 0, 0);
      source.memory[source.index(3, 1299)] = factor;
      source.memory[source.index(69, 1100)] = -factor;
      check_packed(source);
    }
    PackingSource source = make_source(8, 1300, along_k, 0, 0);
    for (int deep = 0; deep < 1200; ++deep) source.memory[source.index(5, deep)] = 0.0f;
    check_packed(source);
  }
}

TEST_CASE("the packing notes numbers that planes cannot hold, wherever they are") {
  for (const bool along_k : {true, false}) {
    for (const float special : {infinity, -infinity, nan}) {
      PackingSource source = make_source(70, 90, along_k, 0, 0);
      source.memory.back() = special;
      CHECK(pack(source).notes[0] == (bits_of(special) & 0x7fffffffu));
    }
    PackingSource source = make_source(70, 90, along_k, 0, 0);
    source.memory[source.index(4, 4)] = largest;
    source.memory[source.index(4, 5)] = 0x1p-149f;  // scaling loses it
    CHECK(~pack(source).notes[1] == 0);
  }
}

TEST_CASE(
    "a number out of range is noted even if only a later part of a line, or its second reading, has it") {
  for (const bool along_k : {true, false}) {
    for (const float largest_of_all : {1.0f, 1e4f}) {
      PackingSource source = make_source(70, 3000, along_k, 0, 0);
      CHECK(float_of(~pack(source).notes[1]) > 0.0f);
      // The line starts again because of the second one.
      source.memory[source.index(5, 2990)] = largest_of_all;
      source.memory[source.index(5, 2000)] = 0x1p-60f;
      CHECK(float_of(~pack(source).notes[1]) == 0.0f);
    }
    // In range until the line starts again.
    PackingSource source = make_source(70, 3000, along_k, 0, 0);
    source.memory[source.index(5, 7)] = 0x1p-30f;
    CHECK(float_of(~pack(source).notes[1]) > 0.0f);
    source.memory[source.index(5, 2990)] = 1e6f;
    CHECK(float_of(~pack(source).notes[1]) == 0.0f);
  }
}

TEST_CASE("packing of a line ends early if its first numbers are out of range") {
  for (const bool along_k : {true, false}) {
    PackingSource source = make_source(64, 4000, along_k, 0, 0);
    for (int line = 0; line < source.lines; ++line) {
      for (int deep = 3; deep < 1024; deep += 8) source.memory[source.index(line, deep)] = 0x1p-60f;
    }
    const PackedWords packed = pack(source);
    CHECK(float_of(~packed.notes[1]) < 0x1p-40f);
    int written = 0;
    for (std::size_t word = header; word < strip_words(packed); ++word) {
      if (bits_of(packed.words[word]) != bits_of(nan)) ++written;
    }
    CHECK(written == 0);
  }
}

Options from_planes(std::int64_t mark = 0) {
  Options options;
  options.kernel_file = CLGEMM_TEST_KERNELS "/from_fp16_planes.cl";
  options.parameters = {{"MARK", mark}};
  return options;
}

// Up to k = 64, a line may have nothing below 2^-13 if its largest is from 2^15 to 2^16. Almost all random
// lines have a largest number of 0.5 to 1.
TEST_CASE("the device uses fp16 planes for exactly the numbers that they can hold") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {70, 66, 40}, {1, 0}, all_placements()[1]);
  for (const Special& special :
       {Special{0, 0}, {0x1p-27f, 0}, {0, -0x1p-27f}, {1024.0f, 1024.0f}, {0x1p-27f, 0x1p-27f}}) {
    INFO(special.a << " " << special.b);
    const Data data = with_special(gemm, special);
    CHECK(all_are(gemm, run_on_device(gemm, data, from_planes(1)), 42.0f));
    check_on_device(gemm, data, from_planes());
  }
  Options plain;
  plain.kernel = "coalesced";
  for (const Special& special : {Special{infinity, 0},
                                 {0, -infinity},
                                 {nan, 0},
                                 {0, nan},
                                 {0x1p-30f, 0},
                                 {0, -0x1p-30f},
                                 {0, 1e-45f},
                                 {0x1p40f, 0},
                                 {largest, 0},
                                 {0, -largest},
                                 {1e20f, 1e20f}}) {
    INFO(special.a << " " << special.b);
    const Data data = with_special(gemm, special);
    const std::vector<float> c = run_on_device(gemm, data, from_planes(1));
    CHECK_FALSE(all_are(gemm, c, 42.0f));
    CHECK(different_kinds(c, run_on_device(gemm, data, plain)) == 0);
    if (std::isfinite(special.a * special.b)) check_result(gemm, data, c);
  }
}

// Packing ends early if, and only if, the GEMM would not use its planes. Both depend on k in whole steps.
TEST_CASE("a number at the limit is in range for any k") {
  // k, and the value that decides the limit: whole steps, but at least 64 and at most 4096.
  const std::map<std::size_t, float> depths = {{40, 64.0f}, {65, 80.0f},     {72, 80.0f},
                                               {79, 80.0f}, {4000, 4000.0f}, {6000, 4096.0f}};
  for (const auto& [k, depth] : depths) {
    const GemmCase gemm = make_gemm_case(all_forms()[0], {16, 16, k}, {1, 0}, all_placements()[0]);
    const float room = k > 1024 ? 2.0f : 1.0f;
    Data data = random_data(gemm, 8);
    for (float& value : data.a) value = 1.0f + 0.8f * std::fabs(value);
    for (const float above : {1.01f, 0.99f}) {
      data.a[gemm.a.index(0, 0)] = above * room * 0x1p-22f / depth;
      INFO(k << ", " << above);
      CHECK(all_are(gemm, run_on_device(gemm, data, from_planes(1)), 42.0f) == (above > 1.0f));
      check_result(gemm, data, run_on_device(gemm, data, from_planes()));
    }
  }
}

TEST_CASE("with more products, smaller numbers are allowed") {
  for (const std::size_t k : {std::size_t{40}, std::size_t{640}}) {
    const GemmCase gemm = make_gemm_case(all_forms()[0], {20, 20, k}, {1, 0}, all_placements()[0]);
    const Data data = with_special(gemm, {0x1p-30f, 0});
    CHECK(all_are(gemm, run_on_device(gemm, data, from_planes(1)), 42.0f) == (k == 640));
  }
}

TEST_CASE("small numbers are allowed in A or in B, but not in both") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {20, 20, 2048}, {1, 0}, all_placements()[0]);
  const auto on_planes = [&](float a, float b) {
    return all_are(gemm, run_on_device(gemm, with_special(gemm, {a, b}), from_planes(1)), 42.0f);
  };
  CHECK(on_planes(0x1p-32f, 0));
  CHECK(on_planes(0, 0x1p-32f));
  CHECK_FALSE(on_planes(0x1p-32f, 0x1p-32f));
}

// Scales all of A by one power of two, and all of B by another.
Data scaled_data(const GemmCase& gemm, int a_exponent, int b_exponent) {
  Data data = integer_data(gemm, 4);
  for (float& x : data.a) x = std::ldexp(x, a_exponent);
  for (float& x : data.b) x = std::ldexp(x, b_exponent);
  return data;
}

TEST_CASE("sums that may overflow are computed in plain fp32, but not sums that may be tiny") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {20, 20, 40}, {1, 0}, all_placements()[0]);
  const auto on_planes = [&](int a_exponent, int b_exponent) {
    const Data data = scaled_data(gemm, a_exponent, b_exponent);
    CHECK(error_ratio(gemm, data, run_on_device(gemm, data, from_planes())) == 0);
    return all_are(gemm, run_on_device(gemm, data, from_planes(1)), 42.0f);
  };
  CHECK(on_planes(50, 50));
  CHECK_FALSE(on_planes(58, 58));
  CHECK(on_planes(100, -100));
  CHECK(on_planes(-70, -70));
  CHECK(on_planes(-135, 115));
  CHECK_FALSE(on_planes(-140, 120));  // too small for the least exponent of a line
}

TEST_CASE("rows of A and columns of B times 2^-50 to 2^50 give exact results from planes") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {70, 66, 40}, {1, 0}, all_placements()[0]);
  Data data = integer_data(gemm, 4);
  for (std::size_t row = 0; row < 70; ++row) {
    for (std::size_t deep = 0; deep < 40; ++deep) {
      float& x = data.a[gemm.a.index(row, deep)];
      x = std::ldexp(x, static_cast<int>(row * 37 % 101) - 50);
    }
  }
  for (std::size_t column = 0; column < 66; ++column) {
    for (std::size_t deep = 0; deep < 40; ++deep) {
      float& x = data.b[gemm.b.index(deep, column)];
      x = std::ldexp(x, static_cast<int>(column * 29 % 101) - 50);
    }
  }
  CHECK(error_ratio(gemm, data, run_on_device(gemm, data, from_planes())) == 0);
  CHECK(all_are(gemm, run_on_device(gemm, data, from_planes(1)), 42.0f));
}

TEST_CASE("plain fp32 is the fallback for fp16 planes in every form and in every block") {
  for (const Form& form : all_forms()) {
    const GemmCase gemm = make_gemm_case(form, {67, 135, 41}, {2, -1}, all_placements()[1]);
    check_on_device(gemm, with_special(gemm, {0x1p-60f, 0}), from_planes(1));
  }
}

TEST_CASE("Inf times a matrix of zeros is NaN on fp16 planes, too") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {70, 66, 40}, {1, 0}, all_placements()[0]);
  Data data = random_data(gemm, 8);
  data.b.assign(data.b.size(), 0.0f);
  CHECK(all_are(gemm, run_on_device(gemm, data, from_planes()), 0.0f));
  data.a[gemm.a.index(5, 7)] = infinity;
  const std::vector<float> c = run_on_device(gemm, data, from_planes());
  CHECK(std::isnan(c[gemm.c.index(5, 0)]));
  CHECK(c[gemm.c.index(6, 0)] == 0.0f);
}

// fp16 planes, with bf16 planes as the fallback, which mark their results, and plain fp32 as their fallback.
Options chain_in(const TemporaryFolder& folder) {
  Options options;
  options.kernel_folder = folder.path().string();
  options.kernel_file = folder.write(
      "from_fp16_planes.cl",
      replaced(kernel_text("from_fp16_planes.cl"), "fallback: fallback_fp32", "fallback: from_planes"));
  folder.write("from_planes.cl", replaced(kernel_text("from_planes.cl"), "MARK = 0", "MARK = 1"));
  return options;
}

TEST_CASE("the first of three kernels that can compute the result computes it") {
  const TemporaryFolder folder;
  const Options options = chain_in(folder);
  for (const Form& form : all_forms()) {
    const GemmCase gemm = make_gemm_case(form, {67, 135, 41}, {1, 0}, all_placements()[1]);
    const Data usual = random_data(gemm, 9);
    check_on_device(gemm, usual, options);
    CHECK(all_are(gemm, run_on_device(gemm, with_special(gemm, {0x1p-60f, 0}), options), 42.0f));
    check_on_device(gemm, with_special(gemm, {0x1p-120f, 0}), options);
    check_on_device(gemm, usual, options);  // whatever earlier calls have left in scratch
  }
}

TEST_CASE("an operand that a batch shares is packed again if one product of the batch needs it") {
  constexpr std::size_t side = 64;
  constexpr std::size_t size = side * side;
  constexpr std::size_t count = 3;
  const TemporaryFolder folder;
  std::vector<float> a(count * size, 1.0f);
  a[2 * size + 5] = 0x1p-60f;
  const cl::Buffer a_buffer = make_buffer(a);
  const cl::Buffer b_buffer = make_buffer(std::vector<float>(size, 1.0f));
  const cl::Buffer c_buffer = make_buffer(std::vector<float>(count * size, nan));
  shared_context().sgemm_strided_batched(shared_queue()(), Layout::row_major, Transpose::no, Transpose::no,
                                         side, side, side, 1.0f, {a_buffer(), side}, size, {b_buffer(), side},
                                         0, 0.0f, {c_buffer(), side}, size, count, {}, nullptr,
                                         chain_in(folder));
  const std::vector<float> c = read_buffer(c_buffer);
  for (std::size_t i = 0; i < count; ++i) {
    INFO("matrix " << i);
    CHECK(c[i * size + side] == (i == 2 ? 42.0f : static_cast<float>(side)));
  }
}

// The real kernels, with the shapes of their tiles.
const std::map<std::string, std::int64_t> tiles[] = {
    {},
    {{"TILE_M", 64}, {"TILE_N", 128}, {"SLICES", 2}, {"STAGES", 8}},
    {{"TILE_M", 128}, {"TILE_N", 64}, {"STAGES", 7}},
    {{"TILE_M", 64}, {"TILE_N", 64}, {"SLICES", 2}, {"STAGES", 8}},
    {{"TILE_M", 64}, {"TILE_N", 128}, {"STEP", 1}, {"STAGES", 3}}};

TEST_CASE("the kernels on fp16 planes are right, with their fallbacks") {
  if (shared_device_info().nvidia_sm < 75) {
    WARN("NOT TESTED: kernels on tensor cores, because this device has none");
    return;
  }
  std::vector<Options> all;
  for (const auto& [rows, columns] : {std::pair{128, 64}, {64, 64}, {64, 128}, {128, 128}}) {
    all.emplace_back();
    all.back().kernel = "fp16x3_mma_k8";
    all.back().parameters = {{"TILE_M", rows}, {"TILE_N", columns}};
  }
  if (shared_device_info().nvidia_sm >= 80) {
    all.emplace_back();
    all.back().kernel = "fp16x3_mma";
  }
  for (const auto& parameters : tiles) {
    if (shared_device_info().nvidia_sm != 90) break;
    all.emplace_back();
    all.back().kernel = "fp16x3_wgmma";
    all.back().parameters = parameters;
  }
  for (const Options& options : all) {
    for (const Form& form : all_forms()) {
      for (const std::size_t k : {std::size_t{17}, std::size_t{650}, std::size_t{1400}}) {
        const GemmCase gemm = make_gemm_case(form, {195, 201, k}, {-1.5f, 1.0f}, all_placements()[1]);
        check_on_device(gemm, random_data(gemm, 5), options);
        check_on_device(gemm, with_special(gemm, {0x1p-60f, 0}), options);
        check_on_device(gemm, with_special(gemm, {0x1p-120f, 0}), options);
      }
    }
    // On an H200, work-groups with several tiles have three or four of 128 x 128, and five or six of 128
    // x 64. With k = 40, a tile has fewer steps than the ring has stages.
    for (const std::size_t k : {std::size_t{40}, std::size_t{330}}) {
      const GemmCase many = make_gemm_case(all_forms()[k % all_forms().size()], {2750, 2350, k},
                                           {-1.5f, k == 40 ? 0.5f : 0.0f}, all_placements()[1]);
      check_on_device(many, random_data(many, 7), options);
    }
    const GemmCase gemm = make_gemm_case(all_forms()[0], {256, 256, 320}, {1, 0}, all_placements()[0]);
    const Data data = integer_data(gemm, 3);
    CHECK(error_ratio(gemm, data, run_on_device(gemm, data, options)) == 0);
  }
}

}  // namespace
}  // namespace clgemm
