// The kernels for Intel's matrix units, on any device: functions in OpenCL C stand in for Intel's
// (data/kernels/intel_stand_in.cl and intel_tf32_stand_in.cl). This shows that results reach the right
// elements. It does not show speed, or how matrix units round.
#include <fmt/format.h>

#include <limits>
#include <regex>
#include <tuple>

#include "kernel/config.hpp"
#include "kernel/kernel_file.hpp"
#include "support/catch.hpp"
#include "support/on_device.hpp"
#include "support/planes.hpp"
#include "support/reference.hpp"
#include "support/temporary.hpp"

namespace clgemm {
namespace {

using namespace test;

// A kernel and what its text needs on other devices.
struct DpasKernel {
  std::string name;
  std::string stand_in;                 // the file with the functions that stand in
  std::vector<std::string> conditions;  // on the device
  std::vector<std::string> functions;   // from the kernel function to the matrix function
  std::string memory;                   // the line that declares local memory
  std::string items;                    // work-items of the work-group
};

const DpasKernel halves = {"fp16x3_dpas",
                           "intel_stand_in.cl",
                           {"extension(cl_intel_subgroup_matrix_multiply_accumulate)",
                            "extension(cl_intel_subgroup_local_block_io)", "LANES == matrix_sub_group"},
                           {"multiply_steps", "multiply_step", "add_products", "multiply_add_halves",
                            "intel_sub_group_f16_f16_matrix_mad_k16"},
                           "  __local uint4 memory[STEP_PIECES];",
                           "ITEMS"};

const DpasKernel tf32 = {
    "tf32x3_dpas",
    "intel_tf32_stand_in.cl",
    {"extension(cl_intel_subgroup_matrix_multiply_accumulate_tf32)", "matrix_sub_group == 16"},
    {"multiply_tile", "multiply_steps", "multiply_eight", "multiply_block",
     "intel_sub_group_tf32_tf32_matrix_mad_k8"},
    "  __local float4 memory[MEMORY_FLOATS / 4];",
    "MULTIPLIERS"};

// Gives a function one more argument, both where a text defines it and where it calls it.
std::string with_exchange(const std::string& text, const std::string& function) {
  const std::string defined =
      std::regex_replace(text, std::regex(R"(((?:static inline|INLINED) \w+ ))" + function + R"(\()"),
                         "$1" + function + "_(__local Rows* exchange, ");
  return std::regex_replace(defined, std::regex("\\b" + function + R"(\()"), function + "_(exchange, ");
}

// Returns the library's kernel under another name, without its conditions on the device, and with the
// functions that stand in. Its loops are not unrolled, because PoCL 3.1 would put so much between barriers on
// the stack that threads overwrite each other's.
std::string kernel_with(const DpasKernel& kernel, const std::string& name, const std::string& stand_in) {
  const std::regex left_out("#(line .*|pragma unroll.*)\n");
  std::string text = std::regex_replace(KernelLibrary().find(kernel.name).file->source, left_out, "");
  text = replaced(text, "// clgemm: " + kernel.name, "// clgemm: " + name);
  for (const std::string& condition : kernel.conditions)
    text = replaced(text, fmt::format("// require: {}\n", condition), "");
  text.insert(text.find("\n#") + 1, stand_in);
  for (const std::string& function : kernel.functions) text = with_exchange(text, function);
  return replaced(text, kernel.memory,
                  fmt::format("  __local Rows exchange[{}];\n{}", kernel.items, kernel.memory));
}

std::vector<Parameters> sizes() {
  std::vector<Parameters> result;
  for (const auto& [lanes, bm, bn, wm, wn] : {std::tuple{8, 128, 128, 32, 16},
                                              {8, 64, 128, 16, 16},
                                              {16, 128, 128, 32, 32},
                                              {16, 128, 64, 32, 16},
                                              {16, 64, 64, 16, 16}})
    result.push_back({{"LANES", lanes}, {"BM", bm}, {"BN", bn}, {"WM", wm}, {"WN", wn}});
  return result;
}

class StandIn {
 public:
  explicit StandIn(const DpasKernel& kernel)
      : right_(folder_.write("right.cl", kernel_with(kernel, "right", kernel_text(kernel.stand_in)))),
        wrong_(folder_.write(
            "wrong.cl", kernel_with(kernel, "wrong",
                                    replaced(kernel_text(kernel.stand_in), "= sum", "= sum + 0x1p40f")))) {}

  Options right(const Parameters& parameters) const { return options_of(right_, parameters); }

  // Its matrix function adds a large number to each sum.
  Options wrong(const Parameters& parameters) const { return options_of(wrong_, parameters); }

 private:
  static Options options_of(const std::string& file, const Parameters& parameters) {
    Options options;
    options.kernel_file = file;
    options.parameters = parameters;
    return options;
  }

  TemporaryFolder folder_;
  std::string right_, wrong_;
};

TEST_CASE("the kernel for Intel's matrix units is right in every form, with gaps, edges, alpha and beta") {
  const StandIn stand_in(halves);
  for (const Parameters& size : sizes()) {
    INFO(describe_values(size));
    const Options options = stand_in.right(size);
    for (const Form& form : all_forms()) {
      const GemmCase gemm = make_gemm_case(form, {131, 67, 70}, {-1.5f, 1.0f}, all_placements()[1]);
      check_on_device(gemm, random_data(gemm, 5), options);
    }
    for (const Scalars& scalars : all_scalars()) {
      const GemmCase gemm = make_gemm_case(all_forms()[0], {3, 130, 33}, scalars, all_placements()[0]);
      check_on_device(gemm, random_data(gemm, 6), options);
    }
    const GemmCase gemm = make_gemm_case(all_forms()[0], {64, 200, 320}, {1, 0}, all_placements()[0]);
    const Data data = integer_data(gemm, 3);
    CHECK(error_ratio(gemm, data, run_on_device(gemm, data, options)) == 0);
  }
}

// If the matrix function is wrong, a result is right only if the fallback computes it.
TEST_CASE("plain fp32 computes what Intel's matrix units cannot, and nothing else") {
  const StandIn stand_in(halves);
  for (const Parameters& size : {sizes().front(), sizes().back()}) {
    const GemmCase gemm = make_gemm_case(all_forms()[1], {70, 66, 40}, {1, 0}, all_placements()[1]);
    const Data usual = random_data(gemm, 7);
    CHECK(error_ratio(gemm, usual, run_on_device(gemm, usual, stand_in.wrong(size))) > error_bound(gemm));
    for (const Special& special : {Special{0x1p-60f, 0}, {0, 0x1p-60f}, {1e19f, 1e19f}})
      check_on_device(gemm, with_special(gemm, special), stand_in.wrong(size));
    check_on_device(gemm, with_special(gemm, {0x1p-27f, 0}), stand_in.right(size));
  }
}

TEST_CASE("each GEMM of a batch has its own fallback beside Intel's matrix units") {
  constexpr std::size_t side = 64;
  constexpr std::size_t elements = side * side;
  constexpr std::size_t count = 3;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const StandIn stand_in(halves);
  std::vector<float> a(count * elements, 1.0f);
  a[2 * elements + 5] = infinity;
  for (const Parameters& size : {sizes().front(), sizes().back()}) {
    const cl::Buffer a_buffer = make_buffer(a);
    const cl::Buffer b_buffer = make_buffer(std::vector<float>(elements, 1.0f));
    const cl::Buffer c_buffer = make_buffer(std::vector<float>(count * elements, 1.0f));
    shared_context().sgemm_strided_batched(shared_queue()(), Layout::row_major, Transpose::no, Transpose::no,
                                           side, side, side, 1.0f, {a_buffer(), side}, elements,
                                           {b_buffer(), side}, 0, -1.0f, {c_buffer(), side}, elements, count,
                                           {}, nullptr, stand_in.right(size));
    const std::vector<float> c = read_buffer(c_buffer);
    for (std::size_t i = 0; i < count; ++i) {
      INFO("GEMM " << i);
      CHECK(c[i * elements] == (i == 2 ? infinity : side - 1.0f));
      CHECK(c[i * elements + side] == side - 1.0f);
    }
  }
}

std::vector<Parameters> tf32_sizes() {
  std::vector<Parameters> result;
  for (const auto& [tile_m, tile_n, warp_m, warp_n, stages] :
       {std::tuple{64, 64, 16, 16, 2}, {64, 64, 32, 32, 2}, {64, 32, 32, 16, 3}})
    result.push_back(
        {{"TILE_M", tile_m}, {"TILE_N", tile_n}, {"WARP_M", warp_m}, {"WARP_N", warp_n}, {"STAGES", stages}});
  return result;
}

TEST_CASE("the TF32 kernel for Intel's matrix units is right in every form, with gaps, edges and scalars") {
  const StandIn stand_in(tf32);
  std::uint32_t seed = 0;
  for (const Parameters& size : tf32_sizes()) {
    INFO(describe_values(size));
    const Options options = stand_in.right(size);
    // Each choice of transposes is a program, which PoCL compiles for seconds.
    const std::vector<Form> forms = all_forms();
    const bool is_first = seed == 0;
    for (const Form& form : is_first ? forms : std::vector<Form>{forms[1 + seed % (forms.size() - 1)]}) {
      // No operand is aligned, or both are.
      const Placement& placement = all_placements()[form.transpose_a == form.transpose_b ? 2 : 1];
      const Scalars& scalars = all_scalars()[++seed % all_scalars().size()];
      const GemmCase gemm = make_gemm_case(form, {68, 36, 76}, scalars, placement);
      check_on_device(gemm, random_data(gemm, seed), options);
    }
    const GemmCase gemm = make_gemm_case(all_forms()[0], {64, 100, 160}, {1, 0}, all_placements()[0]);
    const Data data = integer_data(gemm, 3);
    CHECK(error_ratio(gemm, data, run_on_device(gemm, data, options)) == 0);
  }
}

// If the matrix function is wrong, a result is right only if the tile was computed again.
TEST_CASE("plain fp32 computes the tiles whose numbers are none of TF32, and no others") {
  const StandIn stand_in(tf32);
  const Parameters size = tf32_sizes().front();
  const GemmCase gemm = make_gemm_case(all_forms()[1], {70, 66, 40}, {1, 0}, all_placements()[1]);
  const Data usual = random_data(gemm, 7);
  CHECK(error_ratio(gemm, usual, run_on_device(gemm, usual, stand_in.wrong(size))) > error_bound(gemm));
  const GemmCase tile = make_gemm_case(all_forms()[1], {60, 60, 40}, {1, 0}, all_placements()[1]);
  for (const Special& special : {Special{0x1p-120f, 0}, {0, 0x1p-120f}})
    check_on_device(tile, with_special(tile, special), stand_in.wrong(size));
}

}  // namespace
}  // namespace clgemm
