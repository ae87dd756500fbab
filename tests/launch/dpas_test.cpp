// The kernel for Intel's matrix units, on any device: functions in OpenCL C stand in for Intel's
// (data/kernels/intel_stand_in.cl). This shows that results reach the right elements. It does not show speed,
// or how matrix units round.
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

// Gives a function one more argument, both where a text defines it and where it calls it.
std::string with_exchange(const std::string& text, const std::string& function) {
  const std::string defined =
      std::regex_replace(text, std::regex(R"((static inline \w+ ))" + function + R"(\()"),
                         "$1" + function + "_(__local Rows* exchange, ");
  return std::regex_replace(defined, std::regex("\\b" + function + R"(\()"), function + "_(exchange, ");
}

// Returns the library's kernel under another name, without its conditions on the device, and with the
// functions that stand in. Its loops are not unrolled, because PoCL 3.1 would put so much between barriers on
// the stack that threads overwrite each other's.
std::string kernel_with(const std::string& name, const std::string& stand_in) {
  const std::regex left_out("#(line .*|pragma unroll)\n");
  std::string text = std::regex_replace(KernelLibrary().find("fp16x3_dpas").file->source, left_out, "");
  text = replaced(text, "// clgemm: fp16x3_dpas", "// clgemm: " + name);
  for (const char* condition : {"extension(cl_intel_subgroup_matrix_multiply_accumulate)",
                                "extension(cl_intel_subgroup_local_block_io)", "LANES == matrix_sub_group"})
    text = replaced(text, fmt::format("// require: {}\n", condition), "");
  text.insert(text.find("\n#") + 1, stand_in);
  for (const char* function : {"multiply_steps", "multiply_step", "add_products", "multiply_add_halves",
                               "intel_sub_group_f16_f16_matrix_mad_k16"})
    text = with_exchange(text, function);
  const std::string memory = "  __local uint4 memory[STEP_PIECES];";
  return replaced(text, memory, "  __local Rows exchange[ITEMS];\n" + memory);
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
  explicit StandIn(const std::string& functions = kernel_text("intel_stand_in.cl"))
      : right_(folder_.write("right.cl", kernel_with("right", functions))),
        wrong_(folder_.write("wrong.cl",
                             kernel_with("wrong", replaced(functions, "= sum", "= sum + 0x1p40f")))) {}

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
  const StandIn stand_in;
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
  const StandIn stand_in;
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
  const StandIn stand_in;
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

}  // namespace
}  // namespace clgemm
