// Checks that apply to every form of planes, with kernels that need no tensor cores
// (data/kernels/from_*planes.cl): a complete GEMM, in blocks of the problem and of a batch.
#include <limits>

#include "support/catch.hpp"
#include "support/on_device.hpp"

namespace clgemm {
namespace {

using namespace test;

struct PlanesForm {
  const char* file;
  std::size_t block_bytes;  // size of a packed copy of 64 x 64
};
constexpr PlanesForm forms_of_planes[] = {{"from_planes.cl", 64 * 64 * 6},
                                          {"from_fp16_planes.cl", 64 * 65 * 4}};

// With `mark`, its results are 42.
Options from(const PlanesForm& form, std::int64_t mark = 0) {
  Options options;
  options.kernel_file = std::string(CLGEMM_TEST_KERNELS "/") + form.file;
  options.parameters = {{"MARK", mark}};
  return options;
}

TEST_CASE("a GEMM on planes is right for every form, placement, alpha and beta") {
  for (const PlanesForm& planes : forms_of_planes) {
    for (const Form& form : all_forms()) {
      for (const Placement& placement : all_placements()) {
        const GemmCase gemm = make_gemm_case(form, {67, 35, 50}, {-1.5f, 1.0f}, placement);
        check_on_device(gemm, random_data(gemm, 5), from(planes));
      }
    }
    for (const Scalars& scalars : all_scalars()) {
      const GemmCase gemm = make_gemm_case(all_forms()[0], {3, 130, 17}, scalars, all_placements()[1]);
      check_on_device(gemm, random_data(gemm, 6), from(planes));
    }
  }
}

TEST_CASE("a GEMM on planes is cut into blocks if there is little scratch memory") {
  const GemmCase gemm = make_gemm_case(all_forms()[0], {200, 150, 100}, {1, 1}, all_placements()[0]);
  for (const PlanesForm& planes : forms_of_planes) {
    Options options = from(planes);
    options.scratch_limit = 2 * planes.block_bytes + 1024;
    check_on_device(gemm, random_data(gemm, 7), options);
  }
}

// Three matrices in blocks of two and one. The smaller block has fewer notes, so the words after them have
// another offset.
TEST_CASE("the last block of a batch has its own words, whatever the block before it left") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr std::size_t side = 64;
  constexpr std::size_t size = side * side;
  constexpr std::size_t count = 3;
  std::vector<float> a(count * size, 1.0f);
  a[2 * size + 5] = infinity;
  for (const PlanesForm& planes : forms_of_planes) {
    for (const bool one_b : {false, true}) {
      const cl::Buffer a_buffer = make_buffer(a);
      const cl::Buffer b_buffer = make_buffer(std::vector<float>(count * size, 1.0f));
      const cl::Buffer c_buffer = make_buffer(std::vector<float>(count * size, 1.0f));
      Options options = from(planes, 1);
      options.scratch_limit = (one_b ? 3 : 4) * planes.block_bytes + 12288;  // for two matrices, and notes
      shared_context().sgemm_strided_batched(shared_queue()(), Layout::row_major, Transpose::no,
                                             Transpose::no, side, side, side, 1.0f, {a_buffer(), side}, size,
                                             {b_buffer(), side}, one_b ? 0 : size, -1.0f, {c_buffer(), side},
                                             size, count, {}, nullptr, options);
      const std::vector<float> c = read_buffer(c_buffer);
      for (std::size_t i = 0; i < count; ++i) {
        INFO(planes.file << ", matrix " << i << ", one B: " << one_b);
        CHECK(c[i * size] == (i == 2 ? infinity : 41.0f));
        CHECK(c[i * size + side] == (i == 2 ? static_cast<float>(side) - 1.0f : 41.0f));
      }
    }
  }
}

}  // namespace
}  // namespace clgemm
