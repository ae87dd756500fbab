#include "trust/known_answer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "base/sizes.hpp"
#include "launch/enqueue_gemm.hpp"
#include "plan/blocks.hpp"
#include "scratch/scratch.hpp"

namespace clgemm {
namespace {

constexpr float alpha = 2.0f;
constexpr float beta = -1.0f;
constexpr float canary = 12345.0f;
constexpr std::size_t margin = 8;  // canaries before and after C
constexpr std::size_t front = 64;  // elements before A and B: a multiple of every `align` of our kernels

// Returns integers from -largest to largest. They are scrambled so that no two rows, columns or matrices of a
// batch are alike; a kernel that mistakes one for another gives a wrong result.
float integer(std::uint64_t i, std::uint64_t largest) {
  i *= 0x9e3779b97f4a7c15u;
  i = (i ^ i >> 32) * 0xd6e8feb86659fd93u;
  return static_cast<float>((i >> 32) % (2 * largest + 1)) - static_cast<float>(largest);
}

constexpr std::uint64_t largest_of_c = 4;

// The largest integers of A and of B. Sums of k products, and twice those sums, are exact in fp32, whatever
// their signs. No number of A is smaller than `least_of_a`, apart from its sign.
struct Largest {
  std::uint64_t a, b;
  std::uint64_t least_of_a = 0;
};

// Fp16 planes scale the largest number of a row to 2^15. With this one in a row, 2^14 becomes 2^-13, which is
// the smallest number that they take for such a k. Fp16 keeps 11 bits of it. A second plane has the rest of
// integers up to 2^15, times 2^11. If the rest is from -3 to 3, it is denormal there.
constexpr Largest for_denormal = {(1U << 15) - 1, 1, 1U << 14};
constexpr float largest_of_row = 0x1p42f;

Largest largest_operands(TestNumbers::Large large, std::size_t k) {
  const std::uint64_t product = (std::uint64_t{1} << 24) / k;
  const auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(product)));
  if (large == TestNumbers::Large::a) return {product, 1};
  if (large == TestNumbers::Large::b) return {1, product};
  return {root, root};
}

// A batch of operands: the values of op(X), and the memory that a kernel gets.
class TestOperand {
 public:
  // `padded_*`: the size in memory if the kernel reads it in place; the rest is zero.
  TestOperand(std::size_t batch_count, std::size_t rows, std::size_t columns, std::size_t padded_rows,
              std::size_t padded_columns, bool transposed, std::size_t seed, std::uint64_t largest,
              std::uint64_t least)
      : batch_count_(batch_count),
        rows_(rows),
        columns_(columns),
        seed_(seed),
        largest_(largest),
        least_(least) {
    operand.transposed = transposed;
    operand.ld = transposed ? padded_rows : padded_columns;
    operand.offset = front;
    operand.stride = padded_rows * padded_columns;
    operand.base_alignment = 1;
    memory.assign(front + operand.stride * batch_count, 0.0f);
    for (std::size_t batch = 0; batch < batch_count; ++batch) {
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
          element(batch, row, column) = value(batch, row, column);
        }
      }
    }
  }

  void set(std::size_t row, std::size_t column, float value) {
    for (std::size_t batch = 0; batch < batch_count_; ++batch) element(batch, row, column) = value;
  }

  void set_row(std::size_t row, float value) {
    for (std::size_t batch = 0; batch < batch_count_; ++batch) {
      for (std::size_t column = 0; column < columns_; ++column) element(batch, row, column) = value;
    }
  }

  void set_column(std::size_t column, float value) {
    for (std::size_t batch = 0; batch < batch_count_; ++batch) {
      for (std::size_t row = 0; row < rows_; ++row) element(batch, row, column) = value;
    }
  }

  float value(std::size_t batch, std::size_t row, std::size_t column) const {
    const float x = integer(seed_ + (batch * rows_ + row) * columns_ + column, largest_ - least_);
    return x + std::copysign(static_cast<float>(least_), x);
  }

  Operand operand;
  std::vector<float> memory;

 private:
  float& element(std::size_t batch, std::size_t row, std::size_t column) {
    const std::size_t place = operand.transposed ? column * operand.ld + row : row * operand.ld + column;
    return memory[front + batch * operand.stride + place];
  }

  std::size_t batch_count_;
  std::size_t rows_;
  std::size_t columns_;
  std::size_t seed_;
  std::uint64_t largest_;
  std::uint64_t least_;
};

cl::Buffer buffer_of(const cl::Context& context, std::vector<float>& memory) {
  return cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, memory.size() * sizeof(float),
                    memory.data());
}

// C with canaries around it and between its rows.
class TestResult {
 public:
  TestResult(std::size_t batch_count, std::size_t m, std::size_t n)
      : batch_count_(batch_count), m_(m), n_(n) {
    operand.ld = n + 1;
    operand.offset = margin;
    operand.stride = m * operand.ld;
    memory.assign(2 * margin + operand.stride * batch_count, canary);
    for_each([this](std::size_t place, std::size_t, std::size_t, std::size_t) {
      memory[place] = integer(place, largest_of_c);
    });
  }

  // Returns C as it must be after the GEMM. All after the first `rows` rows and `columns` columns is NaN.
  std::vector<float> expected(const TestOperand& a, const TestOperand& b, std::size_t k, std::size_t rows,
                              std::size_t columns) const {
    std::vector<float> result = memory;
    for_each([&](std::size_t place, std::size_t batch, std::size_t row, std::size_t column) {
      float sum = row < rows && column < columns ? 0.0f : std::numeric_limits<float>::quiet_NaN();
      for (std::size_t depth = 0; depth < k; ++depth) {
        sum += a.value(batch, row, depth) * b.value(batch, depth, column);
      }
      result[place] = alpha * sum + beta * memory[place];
    });
    return result;
  }

  Operand operand;
  std::vector<float> memory;

 private:
  template <class Body>
  void for_each(const Body& body) const {
    for (std::size_t batch = 0; batch < batch_count_; ++batch) {
      for (std::size_t row = 0; row < m_; ++row) {
        for (std::size_t column = 0; column < n_; ++column) {
          body(operand.offset + batch * operand.stride + row * operand.ld + column, batch, row, column);
        }
      }
    }
  }

  std::size_t batch_count_;
  std::size_t m_;
  std::size_t n_;
};

// Returns the operand in the shape that the plan's kernels expect: whole tiles if a padded kernel reads it in
// place.
TestOperand operand_for(bool takes_any, bool transposed, std::size_t batch_count, std::size_t rows,
                        std::size_t columns, std::size_t tile_rows, std::size_t tile_columns,
                        std::size_t seed, std::uint64_t largest, std::uint64_t least) {
  if (takes_any) return {batch_count, rows, columns, rows, columns, transposed, seed, largest, least};
  return {batch_count, rows,    columns, round_up(rows, tile_rows), round_up(columns, tile_columns), false,
          seed,        largest, least};
}

// Returns a little more than a number of whole tiles. If a kernel takes shares, its tile may be as large as
// the largest share, and a few units of a share test the same things.
std::size_t test_side(std::size_t tiles, std::size_t tile, std::size_t share_unit, std::size_t more) {
  constexpr std::size_t units = 12;
  return tiles * (share_unit == 0 ? tile : std::min(tile, units * share_unit)) + more;
}

// Returns such a depth that a slightly larger depth is computed in two slices.
std::size_t depth_for_slices(const KernelConfig& kernel) {
  constexpr std::size_t vector = 4;
  return std::lcm(std::lcm(kernel.tile_depth, kernel.align), vector);
}

// Whole tiles of a matrix.
struct Tiles {
  std::size_t down, across;
};

// Returns little more than a whole tile, or than so many along each side. It adds 1, or, if the kernel was
// compiled for aligned lines of this length, the number of elements that the kernel reads at once. A kernel
// for small k gets a k that is as much less than its largest one, or than one of its steps.
GemmSize test_shape(const Stage& stage, const Problem& problem, Tiles tiles, bool one_step) {
  const KernelConfig& kernel = stage.gemm();
  const auto is_set = [&kernel](const char* name) {
    const auto found = kernel.macros.find(name);
    return found != kernel.macros.end() && found->second != 0;
  };
  const bool whole_a = is_set("ALIGNED_A");
  const bool whole_b = is_set("ALIGNED_B");
  const bool transpose_a = problem.a.transposed;
  const bool transpose_b = problem.b.transposed;
  const auto more = [&kernel](bool is_whole) { return is_whole ? kernel.align : 1; };
  const std::size_t depth = stage.adds_slices() ? depth_for_slices(kernel) : kernel.tile_depth;
  const std::size_t more_depth = more((whole_a && !transpose_a) || (whole_b && transpose_b));
  const bool is_for_small_k = kernel.manifest().is_for_small_k();
  const std::size_t most = one_step ? kernel.tile_depth : kernel.manifest().most_k;
  return {test_side(tiles.down, kernel.tile_rows, kernel.share_rows, more(whole_a && transpose_a)),
          test_side(tiles.across, kernel.tile_columns, kernel.share_columns, more(whole_b && !transpose_b)),
          is_for_small_k ? most - more_depth : depth + more_depth};
}

// A batch of so many matrices, which have so many whole tiles, and a little more. The plan is for few compute
// units, so that kernels with large shares run through all of their code.
struct KnownGemm {
  std::size_t batch_count;
  Tiles tiles;
  std::size_t compute_units;
  bool one_step = false;  // for kernels for small k
};

bool gives_known_answer(const BuiltPlan& built, TestNumbers numbers, const KnownGemm& gemm,
                        const cl::Context& context, const cl::Device& device) {
  const Problem& planned = built.plan.problem;
  const Stage& stage = built.plan.first();
  const KernelConfig& kernel = stage.gemm();
  const std::size_t batch_count = gemm.batch_count;
  const auto [m, n, k] = test_shape(stage, planned, gemm.tiles, gemm.one_step);
  const bool takes_any = kernel.reads_in_place() || stage.has(ProgramRole::pack_both);
  const Largest largest = numbers.denormal ? for_denormal : largest_operands(numbers.large, k);
  TestOperand a = operand_for(takes_any || stage.has(ProgramRole::pack_a), planned.a.transposed, batch_count,
                              m, k, kernel.tile_rows, kernel.tile_depth, 1, largest.a, largest.least_of_a);
  TestOperand b = operand_for(takes_any || stage.has(ProgramRole::pack_b), planned.b.transposed, batch_count,
                              k, n, kernel.tile_depth, kernel.tile_columns, 5, largest.b, 0);
  TestResult c(batch_count, m, n);
  std::size_t adding = k;  // the number of products that are not zero
  // The number lies in an operand that is packed: nothing but the packing sends work to the next stage. If
  // the other operand is not packed, that kernel may take tiny numbers, but not Inf. Inf times 0 makes the
  // last row or column of C NaN.
  std::size_t rows = m, columns = n;  // those that are numbers
  if (numbers.beyond != TestNumbers::Beyond::nothing) {
    const float tiny = numbers.beyond == TestNumbers::Beyond::planes ? 0x1p-120f : 0x1p-60f;
    const bool is_one_packed = kernel.keeps_a || kernel.keeps_b;
    a.set_column(--adding, is_one_packed ? 0.0f : tiny);
    b.set_row(adding, 0.0f);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (kernel.keeps_a) b.set(adding, --columns, infinity);
    if (kernel.keeps_b) a.set(--rows, adding, infinity);
  }
  if (numbers.denormal) {
    a.set_column(--adding, largest_of_row);
    b.set_row(adding, 0.0f);
  }

  BuiltPlan test = built;
  const Problem problem{{m, n, k}, alpha, beta, a.operand, b.operand, c.operand, batch_count};
  test.plan.problem = as_planned(problem);
  test.plan.config.as_transpose = false;  // the buffers are as the kernels see them
  for (Stage& one : test.plan.stages) one.split.wanted_slices = one.adds_slices() ? 2 : 1;
  test.plan.compute_units = gemm.compute_units;
  fit_blocks(test.plan, unlimited_scratch);
  const cl::Buffer buffer_a = buffer_of(context, a.memory);
  const cl::Buffer buffer_b = buffer_of(context, b.memory);
  const cl::Buffer buffer_c = buffer_of(context, c.memory);
  Workspace workspace;
  if (test.plan.scratch_bytes != 0)
    workspace.scratch = cl::Buffer(context, CL_MEM_READ_WRITE, test.plan.scratch_bytes);
  if (const std::size_t arrivals = test.plan.arrivals(); arrivals != 0)
    workspace.arrivals = zeros_on_device(context, CL_MEM_READ_WRITE, arrivals * sizeof(cl_uint));

  const cl::CommandQueue queue(context, device);
  Progress progress;
  enqueue_gemm(test, problem, {buffer_a(), buffer_b(), buffer_c()}, workspace, sequence_on(queue, {}, false),
               {}, progress);
  std::vector<float> result(c.memory.size());
  queue.enqueueReadBuffer(buffer_c, CL_TRUE, 0, result.size() * sizeof(float), result.data());
  const std::vector<float> expected = c.expected(a, b, adding, rows, columns);
  return std::equal(result.begin(), result.end(), expected.begin(),
                    [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

}  // namespace

bool gives_known_answer(const BuiltPlan& built, TestNumbers numbers, const cl::Context& context,
                        const cl::Device& device) {
  const KernelConfig& kernel = built.plan.first().gemm();
  const std::size_t two_groups = kernel.matrices + 1;  // along the batch
  const auto passes = [&](const KnownGemm& gemm) {
    return gives_known_answer(built, numbers, gemm, context, device);
  };
  if (!passes({two_groups, {1, 1}, 2})) return false;
  // A kernel for small k may have other code for one step. A k below its step must not be 0.
  const Manifest& manifest = kernel.manifest();
  const bool has_steps = kernel.tile_depth > kernel.align && kernel.tile_depth < manifest.most_k;
  if (manifest.is_for_small_k() && has_steps && !passes({two_groups, {1, 1}, 2, true})) return false;
  // Without a batch, the work-groups of some kernels compute several tiles. Here two of them share four
  // tiles, or, if two run on a core at a time, five times three tiles. Then both compute tiles of two
  // columns.
  if (kernel.persistent == 0) return true;
  const std::size_t more = std::min<std::size_t>(kernel.persistent, 2);
  return passes({1, {more * more, more}, 2 / more});
}

}  // namespace clgemm
