// Compares with CLBlast on the same device with the same data. Both must keep within the bound.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <clblast.h>

#include <cmath>

#include "support/catch.hpp"
#include "support/on_device.hpp"
#include "support/reference.hpp"

namespace clgemm {
namespace {

using namespace test;

// Returns C from CLBlast. If CLBlast cannot work on this device, prints a warning and returns an empty
// vector.
std::vector<float> run_clblast(const GemmCase& gemm, const Data& data) {
  const auto transpose = [](Transpose t) {
    return t == Transpose::yes ? clblast::Transpose::kYes : clblast::Transpose::kNo;
  };
  const DeviceData buffers = upload(data);
  const auto& [form, shape, scalars, a, b, c] = gemm;
  cl_command_queue queue = shared_context().queue();
  const auto status = clblast::Gemm<float>(
      form.layout == Layout::row_major ? clblast::Layout::kRowMajor : clblast::Layout::kColMajor,
      transpose(form.transpose_a), transpose(form.transpose_b), shape.m, shape.n, shape.k, scalars.alpha,
      buffers.a(), a.offset, a.ld, buffers.b(), b.offset, b.ld, scalars.beta, buffers.c(), c.offset, c.ld,
      &queue);
  if (status != clblast::StatusCode::kSuccess) {
    WARN("NOT COMPARED: CLBlast fails on this device with status " << static_cast<int>(status));
    return {};
  }
  shared_queue().finish();
  return read_buffer(buffers.c);
}

TEST_CASE("the results of both libraries are within the bound on the same data") {
  const std::vector<Shape> shapes = {{1, 1, 1},    {31, 37, 29}, {64, 64, 64},
                                     {129, 3, 65}, {5, 200, 33}, {9, 7, 1031}};
  std::uint32_t seed = 100;
  for (const Form& form : all_forms()) {
    for (const Shape& shape : shapes) {
      const Scalars scalars = all_scalars()[seed % 6];  // only those with alpha != 0
      const GemmCase gemm = make_gemm_case(form, shape, scalars, all_placements()[seed % 4]);
      const Data data = random_data(gemm, ++seed);
      INFO(describe(gemm));
      const std::vector<float> theirs = run_clblast(gemm, data);
      const std::vector<float> ours = run_on_device(gemm, data, {});
      check_result(gemm, data, ours);
      if (theirs.empty()) continue;
      CHECK(error_ratio(gemm, data, theirs) <= error_bound(gemm));
    }
  }
}

}  // namespace
}  // namespace clgemm
