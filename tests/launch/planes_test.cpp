// fp32 as bf16 planes. The packing is compared with a model in plain C++. A complete GEMM on planes, from the
// plan to the fallback in plain fp32, runs with a kernel that needs no tensor cores (kernels/from_planes.cl).
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/on_device.hpp"
#include "support/planes.hpp"
#include "support/reference.hpp"
#include "support/shipped.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();
constexpr int planes = 3;

// Returns the nearest bf16 by comparing the two candidates, with ties to even; never Inf.
float nearest_bf16(float value) {
  const float down = float_of(bits_of(value) & 0xffff0000u);
  const float up = float_of((bits_of(value) & 0xffff0000u) + 0x10000u);
  if (std::isinf(up)) return down;
  const double to_down = std::fabs(double{value} - double{down});
  const double to_up = std::fabs(double{up} - double{value});
  if (to_down != to_up) return to_down < to_up ? down : up;
  return (bits_of(down) & 0x10000u) == 0 ? down : up;
}

// The layout of common/planes.cl, computed in another way.
float plane_at(const PackedWords& packed, int plane, int line, int deep) {
  const int block = line / 64 * (packed.depth / 16) + deep / 16;
  const int piece = ((line % 64 / 8 * planes + plane) * 2 + deep % 16 / 8) * 8 + line % 8;
  const auto index =
      static_cast<std::size_t>(block) * 64 * 16 * planes + static_cast<std::size_t>(piece * 8 + deep % 8);
  return float_of(std::uint32_t{packed.half_word(index)} << 16);
}

PackedWords pack(const PackingSource& source) {
  return pack_both("pack_both_bf16_planes", source);
}

void check_packed(const PackingSource& source) {
  const PackedWords packed = pack(source);
  std::uint32_t most = 0;
  std::uint32_t least = 0xffffffffu;
  int wrong = 0;
  for (int line = 0; line < packed.lines; ++line) {
    for (int deep = 0; deep < packed.depth; ++deep) {
      float rest = source.at(line, deep);
      const std::uint32_t magnitude = bits_of(rest) & 0x7fffffffu;
      most = std::max(most, magnitude);
      if (magnitude != 0) least = std::min(least, magnitude);
      // The contents of the planes do not matter, because they are not used.
      if (!std::isfinite(rest)) continue;
      for (int plane = 0; plane < planes; ++plane) {
        const float wanted = nearest_bf16(rest);
        if (plane_at(packed, plane, line, deep) != wanted) ++wrong;
        rest -= wanted;
      }
    }
  }
  INFO(source.lines << " x " << source.depth << ", along k: " << source.along_k << ", ld " << source.ld);
  CHECK(wrong == 0);
  CHECK(packed.notes[0] == most);
  CHECK(~packed.notes[1] == least);
}

TEST_CASE("the packing splits every number into its three planes, and pads with zeros") {
  for (const bool along_k : {true, false}) {
    check_packed(make_source(1, 1, along_k, 0, 0));
    check_packed(make_source(64, 64, along_k, 0, 0));
    check_packed(make_source(65, 33, along_k, 0, 0));
    check_packed(make_source(100, 150, along_k, 7, 3));
    check_packed(make_source(63, 96, along_k, 4, 4));
  }
}

TEST_CASE("three planes hold all bits of a number that is not tiny") {
  PackingSource source = make_source(64, 64, true, 0, 0);
  for (std::size_t i = 0; i < source.memory.size(); ++i)
    source.memory[i] = std::ldexp(source.memory[i], static_cast<int>(i % 200) - 90);
  source.memory[0] = largest;
  source.memory[1] = -largest;
  source.memory[2] = 0x1p-110f;
  source.memory[3] = 0x1.fffffep-110f;
  source.memory[4] = -0.0f;
  source.memory[5] = 0x1.fefffep127f;
  check_packed(source);
  const PackedWords packed = pack(source);
  int lost = 0;
  for (int line = 0; line < 64; ++line) {
    for (int deep = 0; deep < 64; ++deep) {
      const double sum = double{plane_at(packed, 0, line, deep)} + double{plane_at(packed, 1, line, deep)} +
                         double{plane_at(packed, 2, line, deep)};
      const float value = source.at(line, deep);
      if (std::fabs(value) >= 0x1p-110f && sum != double{value}) ++lost;
    }
  }
  CHECK(lost == 0);
}

TEST_CASE("the packing notes the smallest and the largest magnitude, wherever they are") {
  for (const bool along_k : {true, false}) {
    for (const float special : {infinity, -infinity, nan, 1e-40f, 0x1p-111f, -0x1p-149f, largest, 0.0f}) {
      PackingSource source = make_source(70, 90, along_k, 0, 0);
      source.memory[source.memory.size() - 1] = special;
      check_packed(source);
    }
  }
}

Options from_planes(std::int64_t mark = 0) {
  Options options;
  options.kernel_file = CLGEMM_TEST_KERNELS "/from_planes.cl";
  options.parameters = {{"MARK", mark}};
  return options;
}

TEST_CASE("the device uses plain fp32 exactly for numbers that planes cannot hold") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {70, 66, 40}, {1, 0}, all_placements()[1]);
  for (const Special& special :
       {Special{0, 0}, {1e6f, 1e-6f}, {1e14f, 1e14f}, {0x1p-110f, 1}, {1, -0x1p-110f}, {0, 3e28f}}) {
    INFO(special.a << " " << special.b);
    CHECK(all_are(gemm, run_on_device(gemm, with_special(gemm, special), from_planes(1)), 42.0f));
  }
  for (const Special& special : {Special{infinity, 0},
                                 {0, -infinity},
                                 {nan, 0},
                                 {0, nan},
                                 {0x1p-111f, 0},
                                 {0, 1e-45f},
                                 {largest, 0},
                                 {0, -largest},
                                 {1e20f, 1e20f},
                                 {0x1p-70f, 0x1p-70f}}) {
    INFO(special.a << " " << special.b);
    const Data data = with_special(gemm, special);
    const std::vector<float> plain = run_on_device(gemm, data, [] {
      Options options;
      options.kernel = "coalesced";
      return options;
    }());
    const std::vector<float> c = run_on_device(gemm, data, from_planes(1));
    CHECK_FALSE(all_are(gemm, c, 42.0f));
    CHECK(different_kinds(c, plain) == 0);
    const bool overflows = !std::isfinite(special.a * special.b);
    if (std::isfinite(special.a) && std::isfinite(special.b) && !overflows) check_result(gemm, data, c);
  }
}

TEST_CASE("Inf times a matrix of zeros is NaN, as in plain fp32") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {70, 66, 40}, {1, 0}, all_placements()[0]);
  Data data = random_data(gemm, 8);
  data.b.assign(data.b.size(), 0.0f);
  CHECK(all_are(gemm, run_on_device(gemm, data, from_planes()), 0.0f));
  data.a[gemm.a.index(5, 7)] = infinity;
  const std::vector<float> c = run_on_device(gemm, data, from_planes());
  CHECK(std::isnan(c[gemm.c.index(5, 0)]));
  CHECK(c[gemm.c.index(6, 0)] == 0.0f);
}

TEST_CASE("plain fp32 is the fallback in every form and in every block") {
  for (const Form& form : all_forms()) {
    const GemmCase gemm = make_gemm_case(form, {67, 135, 41}, {2, -1}, all_placements()[1]);
    check_on_device(gemm, with_special(gemm, {0x1p-120f, 0}), from_planes(1));
  }
  const GemmCase gemm = make_gemm_case(all_forms()[0], {130, 140, 33}, {1, 1}, all_placements()[0]);
  Options options = from_planes();  // without the mark, because blocks decide separately
  options.scratch_limit = 2 * 64 * 64 * 6 + 1024;
  check_on_device(gemm, with_special(gemm, {0, 0x1p-120f}), options);
}

TEST_CASE("the fallback is decided for each matrix of a batch by its own numbers") {
  constexpr std::size_t side = 64;
  constexpr std::size_t size = side * side;
  constexpr std::size_t count = 4;
  for (const bool one_b : {false, true}) {
    std::vector<float> a(count * size, 1.0f);
    a[2 * size + 5] = 0x1p-120f;
    const cl::Buffer a_buffer = make_buffer(a);
    const cl::Buffer b_buffer = make_buffer(std::vector<float>(count * size, 1.0f));
    const cl::Buffer c_buffer = make_buffer(std::vector<float>(count * size, nan));
    shared_context().sgemm_strided_batched(shared_queue()(), Layout::row_major, Transpose::no, Transpose::no,
                                           side, side, side, 1.0f, {a_buffer(), side}, size,
                                           {b_buffer(), side}, one_b ? 0 : size, 0.0f, {c_buffer(), side},
                                           size, count, {}, nullptr, from_planes(1));
    const std::vector<float> c = read_buffer(c_buffer);
    for (std::size_t i = 0; i < count; ++i) {
      INFO("matrix " << i << ", one B: " << one_b);
      CHECK(c[i * size + side] == (i == 2 ? static_cast<float>(side) : 42.0f));
    }
  }
}

TEST_CASE("every config on tensor cores that may be chosen is right, and has an fp32 fallback") {
  if (shared_device_info().nvidia_sm < 80) {
    WARN("NOT TESTED: kernels on tensor cores, because this device has none");
    return;
  }
  KernelLibrary library;
  std::size_t found = 0;
  const SpeedTable table = shipped_tuning().tables(shared_device_info()).front();
  for (const ConfigRow& candidate : table.rows()) {
    if (library.find(candidate.config.kernel).file->manifest.precision != Precision::fp32_equivalent)
      continue;
    ++found;
    Options options;
    options.kernel = candidate.config.kernel;
    options.parameters = candidate.config.parameters;
    for (const Form& form : all_forms()) {
      const GemmCase gemm = make_gemm_case(form, {195, 201, 650}, {-1.5f, 1.0f}, all_placements()[1]);
      check_on_device(gemm, random_data(gemm, 5), options);
      check_on_device(gemm, with_special(gemm, {0x1p-120f, 0}), options);
    }
  }
  CHECK(found > 0);
}

TEST_CASE("Precision::fp32 refuses a kernel on planes, and allows plain ones") {
  Options options = from_planes();
  options.precision = Precision::fp32;
  const GemmCase gemm = make_gemm_case(all_forms()[0], {3, 3, 3}, {1, 0}, all_placements()[0]);
  const Data data = random_data(gemm, 9);
  const Thrown thrown = thrown_by([&] { run_on_device(gemm, data, options); });
  INFO(thrown.text);
  CHECK(thrown.code == ErrorCode::invalid_argument);
  CHECK(contains(thrown.text, "from_planes"));
  options.kernel_file.clear();
  options.parameters.clear();
  options.kernel = "coalesced";
  check_on_device(gemm, data, options);
}

TEST_CASE("explain() names the fallbacks of a kernel on planes") {
  SgemmShape shape;
  shape.m = shape.n = shape.k = 100;
  const std::string text = shared_context().explain(shape, from_planes());
  INFO(text);
  CHECK(contains(text, "fallback: fallback_fp32"));
  CHECK(contains(text, "op(A), op(B): packed by pack_both_bf16_planes"));
}

}  // namespace
}  // namespace clgemm
