// tf32x3_mma on any device: without its condition on the GPU, each work-item computes in OpenCL C what the
// tensor core would (kernels/common/mma_tf32.cl). So copies, shifts, the order of lines in local memory,
// split-K and the way back to plain fp32 are tested without such a GPU.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "kernel/kernel_config.hpp"
#include "support/on_device.hpp"
#include "support/reference.hpp"
#include "support/temporary.hpp"

namespace clgemm {
namespace {

using namespace test;

// Returns options for the kernel without its condition. The folder must outlive their use.
Options options_for(const TemporaryFolder& folder, const Parameters& parameters) {
  const std::string condition = "// require: nvidia_sm >= 80\n";
  std::string text = KernelFolders().find_kernel("tf32x3_mma.cl").value().text;
  REQUIRE(text.find(condition) != std::string::npos);
  text.erase(text.find(condition), condition.size());
  // Loops stay loops, because PoCL compiles unrolled ones for longer.
  const std::string unroll = "#pragma unroll\n";
  for (std::size_t at = text.find(unroll); at != std::string::npos; at = text.find(unroll, at))
    text.erase(at, unroll.size());
  folder.write("tf32x3_mma.cl", text);
  Options options;
  options.kernel = "tf32x3_mma";
  options.kernel_folder = folder.path().string();
  options.parameters = parameters;
  return options;
}

// Two warps below each other; edges, and k that is no multiple of a step.
TEST_CASE("tf32x3_mma: every form, with alpha, beta, gaps, edges and split-K") {
  const TemporaryFolder folder;
  Options options = options_for(folder, {{"TILE_M", 64}, {"TILE_N", 32}, {"WARP_M", 32}, {"STAGES", 3}});
  std::uint32_t seed = 0;
  for (const Shape& shape : {Shape{68, 36, 132}, Shape{4, 8, 32}}) {
    for (const Form& form : all_forms()) {
      // No operand is aligned, or both are; each choice of transposes has one program, which takes PoCL 4 s.
      const Placement& placement = all_placements()[form.transpose_a == form.transpose_b ? 2 : 1];
      const Scalars& scalars = all_scalars()[++seed % all_scalars().size()];
      const GemmCase gemm = make_gemm_case(form, shape, scalars, placement);
      INFO(fmt::format("{}, seed {}", describe(gemm), seed));
      options.parameters["SPLIT_K"] = 1 + seed % 3;
      check_on_device(gemm, random_data(gemm, seed), options);
    }
  }
}

// Returns whether two results differ somewhere, and CHECKs that both are right.
bool differ(const GemmCase& gemm, const Data& data, const Data& other, const Options& options) {
  const std::vector<float> c = run_on_device(gemm, data, options);
  const std::vector<float> other_c = run_on_device(gemm, other, options);
  check_result(gemm, data, c);
  check_result(gemm, other, other_c);
  return !same_bits(c, other_c);
}

// A number that TF32 cannot hold meets only zeros. So the exact result stays the same, but plain fp32 rounds
// in another order. If the kernel did not notice an Inf, its low part would be NaN, and so would the result.
TEST_CASE("tf32x3_mma computes a tile again in plain fp32 if TF32 cannot hold its numbers") {
  const TemporaryFolder folder;
  const Options options =
      options_for(folder, {{"TILE_M", 64}, {"TILE_N", 32}, {"WARP_M", 32}, {"STAGES", 3}});
  const GemmCase gemm = make_gemm_case(all_forms()[0], {68, 32, 200}, {1, 0}, all_placements()[0]);
  Data data = random_data(gemm, 5);
  constexpr std::size_t deep = 77;
  for (std::size_t column = 0; column < gemm.shape.n; ++column) data.b[gemm.b.index(deep, column)] = 0.0f;
  data.a[gemm.a.index(3, deep)] = 0.0f;
  Data other = data;
  CHECK_FALSE(differ(gemm, data, other, options));
  other.a[gemm.a.index(3, deep)] = 0x1p-80f;
  CHECK_FALSE(differ(gemm, data, other, options));
  other.a[gemm.a.index(3, deep)] = -0x1p-105f;
  CHECK(differ(gemm, data, other, options));

  other = data;
  for (std::size_t column = 0; column < gemm.shape.n; ++column) other.b[gemm.b.index(deep, column)] = 1.0f;
  other.a[gemm.a.index(3, deep)] = std::numeric_limits<float>::infinity();
  const std::vector<float> c = run_on_device(gemm, other, options);
  for (std::size_t column = 0; column < gemm.shape.n; ++column)
    CHECK(c[gemm.c.index(3, column)] == std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace clgemm
