// Matrices of more than 2^31 elements, with sizes, offsets and byte counts beyond 32 bits. The same code also
// runs at a size that fits every device, so that the test itself is tested everywhere.
#include <array>

#include "support/on_device.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

constexpr std::size_t beyond_32_bits = std::size_t{1} << 31;

// Computes element i of A: small integers, so that every result is exact, without a repeated pattern.
const char* const fill_source =
    "float value(ulong i) {\n"
    "  i *= 0x9e3779b97f4a7c15UL;\n"
    "  i = (i ^ i >> 32) * 0xd6e8feb86659fd93UL;\n"
    "  return (float)((i >> 32) % 9) - 4.0f;\n"
    "}\n"
    "__kernel void fill(__global float* a, const ulong count) {\n"
    "  for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) a[i] = value(i);\n"
    "}\n";

float value_of_a(std::uint64_t i) {
  i *= 0x9e3779b97f4a7c15u;
  i = (i ^ i >> 32) * 0xd6e8feb86659fd93u;
  return static_cast<float>((i >> 32) % 9) - 4.0f;
}

cl::Buffer filled_buffer(std::size_t elements) {
  cl::Buffer result(shared_cl_context(), CL_MEM_READ_WRITE, elements * sizeof(float));
  cl::Program program(shared_cl_context(), fill_source);
  program.build("");  // the constructor builds for OpenCL C 2.0, which not every implementation has
  cl::Kernel kernel(program, "fill");
  kernel.setArg(0, result);
  kernel.setArg(1, cl_ulong{elements});
  shared_queue().enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1 << 16), cl::NullRange);
  shared_queue().finish();
  return result;
}

// C is m x n, with an odd k so that the operands must be packed, and with A of more elements than `elements`.
constexpr std::size_t n = 2;
constexpr std::size_t k = 129;

std::vector<float> integers(std::size_t count) {
  std::vector<float> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<float>(i * 5 % 7) - 3.0f;
  return result;
}

// Returns rows at both ends, around the limits of 32 bits, and many between.
std::vector<std::size_t> sampled_rows(std::size_t m, std::size_t row_elements) {
  std::vector<std::size_t> result = {0, 1, m / 2, m - 2, m - 1};
  for (const std::size_t border : {beyond_32_bits / 4, beyond_32_bits / 2, beyond_32_bits}) {
    for (const std::size_t step : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
      const std::size_t row = border / row_elements + step;
      if (row < m) result.push_back(row);
    }
  }
  for (std::size_t i = 1; i < 2000; ++i) result.push_back(i * 7919 * 104729 % m);
  return result;
}

// Returns how many of the samples of C are wrong.
template <class ElementOfA>
std::size_t wrong_samples(const std::vector<float>& c, const std::vector<float>& b, std::size_t m,
                          const ElementOfA& element_of_a) {
  std::size_t wrong = 0;
  for (const std::size_t row : sampled_rows(m, k)) {
    std::array<float, n> sums = {};
    for (std::size_t depth = 0; depth < k; ++depth) {
      for (std::size_t column = 0; column < n; ++column)
        sums[column] += value_of_a(element_of_a(row, depth)) * b[depth * n + column];
    }
    for (std::size_t column = 0; column < n; ++column) wrong += c[row * n + column] != sums[column] ? 1u : 0u;
  }
  return wrong;
}

Options with_kernel(const char* kernel) {
  Options result;
  result.kernel = kernel;
  return result;
}

// A has just over `elements` elements. It is used unchanged, transposed, packed and not packed. Another small
// matrix is at the very end of its buffer.
void check_with_a_of(std::size_t elements) {
  const std::size_t m = elements / k + 3;
  const std::size_t count = m * k;
  REQUIRE(count > elements);
  const cl::Buffer a = filled_buffer(count);
  const std::vector<float> host_b = integers(k * n);
  const cl::Buffer b = make_buffer(host_b);
  const cl::Buffer c(shared_cl_context(), CL_MEM_READ_WRITE, m * n * sizeof(float));
  for (const char* kernel : {"", "coalesced", "tiled"}) {
    for (const Transpose transpose : {Transpose::no, Transpose::yes}) {
      const bool by_rows = transpose == Transpose::no;
      INFO("kernel '" << kernel << "', A " << (by_rows ? "as it lies" : "transposed") << ", m " << m);
      shared_queue().enqueueFillBuffer(c, -1.0f, 0, m * n * sizeof(float));
      shared_context().sgemm(shared_queue()(), Layout::row_major, transpose, Transpose::no, m, n, k, 1,
                             {a(), by_rows ? k : m}, {b(), n}, 0, {c(), n}, {}, nullptr, with_kernel(kernel));
      const auto element_of_a = [&](std::size_t row, std::size_t depth) {
        return by_rows ? row * k + depth : depth * m + row;
      };
      CHECK(wrong_samples(read_buffer(c), host_b, m, element_of_a) == 0);
    }
  }

  INFO("the last 65 rows alone, by their offset");
  constexpr std::size_t rows = 65;
  const std::size_t offset = (m - rows) * k;
  const cl::Buffer small_c(shared_cl_context(), CL_MEM_READ_WRITE, rows * n * sizeof(float));
  for (const char* kernel : {"", "coalesced", "tiled"}) {
    shared_context().sgemm(shared_queue()(), Layout::row_major, Transpose::no, Transpose::no, rows, n, k, 1,
                           {a(), k, offset}, {b(), n}, 0, {small_c(), n}, {}, nullptr, with_kernel(kernel));
    const auto element_of_a = [&](std::size_t row, std::size_t depth) { return offset + row * k + depth; };
    CHECK(wrong_samples(read_buffer(small_c), host_b, rows, element_of_a) == 0);
  }
  CHECK_ERROR(
      [&] {
        shared_context().sgemm(shared_queue()(), Layout::row_major, Transpose::no, Transpose::no, rows, n, k,
                               1, {a(), k, offset + 1}, {b(), n}, 0, {small_c(), n});
      },
      buffer_too_small, "of A");
}

TEST_CASE("A of more than 2^20 elements, with the code that also tests 2^31 elements") {
  check_with_a_of(std::size_t{1} << 20);
}

TEST_CASE("A of more than 2^31 elements") {
  const Device& device = shared_device_info();
  // A, C, and the default scratch memory.
  const std::size_t bytes_of_a = (beyond_32_bits + 4 * k) * sizeof(float);
  const std::size_t wanted = 2 * bytes_of_a;
  if (device.max_allocation_bytes < bytes_of_a || device.global_bytes < wanted) {
    WARN("NOT TESTED: a matrix of 2^31 elements takes "
         << bytes_of_a << " bytes in one allocation, " << wanted << " in all; '" << device.name << "' allows "
         << device.max_allocation_bytes << " of " << device.global_bytes);
    return;
  }
  check_with_a_of(beyond_32_bits);
}

}  // namespace
}  // namespace clgemm
