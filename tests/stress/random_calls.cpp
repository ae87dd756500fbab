// Makes calls of every kind from a seed: random_calls [--calls N] [--seed N]. They vary layouts, transposes,
// sizes down to 0, leading dimensions, offsets, alpha and beta, batches, scratch limits, queues, and kernels,
// with NaN and Inf in factors and matrices. Each result is within its bound of float64, or is the NaN or Inf
// of float64. Nothing around C is written, A and B do not change, and a second call gives the same bits. Some
// calls have one mistake. They must be refused, and C must not change. The exit status is 0 only if all of
// that held.
#include <fmt/format.h>

#include <clgemm/clgemm.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include "base/error.hpp"
#include "base/opencl.hpp"
#include "common/error_bound.hpp"
#include "common/float64.hpp"
#include "support/gemm_case.hpp"

namespace {

using namespace clgemm;
using namespace clgemm::test;

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : generator_(seed) {}

  std::size_t below(std::size_t count) { return generator_() % count; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class Value>
  Value one_of(std::initializer_list<Value> values) {
    return values.begin()[below(values.size())];
  }
  std::uint32_t seed() { return static_cast<std::uint32_t>(generator_()); }

 private:
  std::mt19937_64 generator_;
};

std::size_t random_extent(Dice& dice) {
  switch (dice.below(12)) {
    case 0:
      return dice.below(3);
    case 1:
      return 1 + dice.below(300);
    case 2:
      return dice.one_of<std::size_t>({16, 32, 64, 96, 128, 256});
    default:
      return 1 + dice.below(70);
  }
}

float random_scalar(Dice& dice) {
  if (dice.one_in(12)) return dice.one_of({nan_value, infinity, -infinity});
  return dice.one_of({0.0f, 1.0f, -1.0f, 2.0f, -1.5f, 0.37f});
}

void place_at_random(Dice& dice, Place& place) {
  place.ld = std::max<std::size_t>(place.length(), 1) + (dice.one_in(2) ? 0 : dice.below(9));
  place.offset = dice.one_in(2) ? 0 : dice.below(40);
  place.tail = 64;
}

void spoil_some(Dice& dice, std::vector<float>& elements) {
  if (elements.empty() || !dice.one_in(8)) return;
  for (std::size_t i = dice.below(3) + 1; i > 0; --i)
    elements[dice.below(elements.size())] = dice.one_of({nan_value, infinity, -infinity});
}

enum class Way { host, in_order, out_of_order };

// One call and the contents of its buffers. The matrices of a batch follow each other.
struct Call {
  GemmCase gemm;
  std::vector<Data> data;
  bool same_a = false;  // stride_a is 0
  Way way = Way::host;
  Options options = {};

  std::size_t batch_count() const { return data.size(); }
};

std::string describe(const Call& call) {
  const char* const ways[] = {"host", "in-order", "out-of-order"};
  return fmt::format("{}, ldc {} offset {}, batch {}{}, {}, kernel '{}', scratch limit {}",
                     describe(call.gemm), call.gemm.c.ld, call.gemm.c.offset, call.batch_count(),
                     call.same_a ? " of one A" : "", ways[static_cast<int>(call.way)], call.options.kernel,
                     call.options.scratch_limit);
}

Call random_call(Dice& dice) {
  const Form form{dice.one_of({Layout::row_major, Layout::column_major}),
                  dice.one_of({Transpose::no, Transpose::yes}), dice.one_of({Transpose::no, Transpose::yes})};
  Call call{make_gemm_case(form, {random_extent(dice), random_extent(dice), random_extent(dice)},
                           {random_scalar(dice), random_scalar(dice)}, {1, 0, 0, 64}),
            {}};
  for (Place* place : {&call.gemm.a, &call.gemm.b, &call.gemm.c}) place_at_random(dice, *place);
  call.way = dice.one_of({Way::host, Way::in_order, Way::out_of_order});
  const std::size_t count = call.way == Way::host || dice.one_in(2) ? 1 : 1 + dice.below(4);
  call.same_a = count > 1 && dice.one_in(3);
  for (std::size_t i = 0; i < count; ++i) {
    Data data =
        dice.one_in(2) ? integer_data(call.gemm, dice.seed()) : test::random_data(call.gemm, dice.seed());
    for (std::vector<float>* elements : {&data.a, &data.b}) spoil_some(dice, *elements);
    if (call.same_a && i > 0) data.a = call.data[0].a;
    call.data.push_back(std::move(data));
  }
  if (dice.one_in(4))
    call.options.kernel = dice.one_of({"tiled", "wpt", "coalesced", "float8", "block_1d", "naive"});
  if (dice.one_in(4)) call.options.scratch_limit = std::size_t{1} << (10 + dice.below(10));
  return call;
}

// Returns the memory of one operand of all matrices.
std::vector<float> joined(const Call& call, std::vector<float> Data::*part, bool once = false) {
  std::vector<float> result;
  for (std::size_t i = 0; i < (once ? 1 : call.batch_count()); ++i)
    result.insert(result.end(), (call.data[i].*part).begin(), (call.data[i].*part).end());
  return result;
}

struct Memory {
  std::vector<float> a, b, c;
};

class Runner {
 public:
  // Returns the memory after the call. Throws what the call throws.
  Memory run(const Call& call) {
    Memory memory{joined(call, &Data::a, call.same_a), joined(call, &Data::b), joined(call, &Data::c)};
    if (call.way == Way::host) {
      run_on_host(call, memory);
    } else {
      run_on_device(call, memory, call.way == Way::in_order ? in_order_ : out_of_order_);
    }
    return memory;
  }

 private:
  void run_on_host(const Call& call, Memory& memory) {
    const auto& [form, shape, scalars, a, b, c] = call.gemm;
    context_.sgemm(form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k, scalars.alpha,
                   memory.a.data() + a.offset, a.ld, memory.b.data() + b.offset, b.ld, scalars.beta,
                   memory.c.data() + c.offset, c.ld, call.options);
  }

  void run_on_device(const Call& call, Memory& memory, const cl::CommandQueue& queue) {
    const auto& [form, shape, scalars, a, b, c] = call.gemm;
    const cl::Buffer on_a = upload(memory.a), on_b = upload(memory.b), on_c = upload(memory.c);
    cl_event done = nullptr;
    context_.sgemm_strided_batched(queue(), form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n,
                                   shape.k, scalars.alpha, {on_a(), a.ld, a.offset},
                                   call.same_a ? 0 : call.data[0].a.size(), {on_b(), b.ld, b.offset},
                                   call.data[0].b.size(), scalars.beta, {on_c(), c.ld, c.offset},
                                   call.data[0].c.size(), call.batch_count(), {}, &done, call.options);
    cl::Event(done).wait();
    download(on_a, memory.a);
    download(on_b, memory.b);
    download(on_c, memory.c);
  }

  cl::Buffer upload(const std::vector<float>& elements) {
    const cl::Buffer buffer(opencl_, CL_MEM_READ_WRITE, elements.size() * sizeof(float));
    in_order_.enqueueWriteBuffer(buffer, CL_TRUE, 0, elements.size() * sizeof(float), elements.data());
    // A blocking write has copied the elements from the host, but other queues may overtake it.
    in_order_.finish();
    return buffer;
  }
  void download(const cl::Buffer& buffer, std::vector<float>& elements) {
    in_order_.enqueueReadBuffer(buffer, CL_TRUE, 0, elements.size() * sizeof(float), elements.data());
  }

  // Rusticl (Mesa 22.3) has only in-order queues.
  cl_command_queue_properties where_there_is(cl_command_queue_properties wanted) const {
    return device_.getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & wanted;
  }

  Context context_;
  cl::Context opencl_{context_.context(), true};
  cl::Device device_{context_.device(), true};
  cl::CommandQueue in_order_{opencl_, device_};
  cl::CommandQueue out_of_order_{opencl_, device_, where_there_is(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)};
};

// Describes what is wrong with one element. Empty if it is right.
std::string fault_of_element(const Call& call, const Data& before, std::size_t row, std::size_t column,
                             float value) {
  const auto& [form, shape, scalars, a, b, c] = call.gemm;
  const bool multiplies = scalars.alpha != 0 && shape.k != 0;
  double sum = 0;
  double magnitude = 0;
  for (std::size_t depth = 0; multiplies && depth < shape.k; ++depth) {
    const double product = double{before.a[a.index(row, depth)]} * before.b[b.index(depth, column)];
    sum += product;
    magnitude += std::fabs(product);
  }
  const double old = scalars.beta == 0 ? 0 : double{scalars.beta} * before.c[c.index(row, column)];
  const double expected = (multiplies ? scalars.alpha * sum : 0) + old;
  magnitude = (multiplies ? std::fabs(double{scalars.alpha}) * magnitude : 0) + std::fabs(old);
  // If alpha is infinite, and k is divided into blocks that are scaled one by one, Inf and -Inf may meet.
  const bool may_be_nan = std::isnan(expected) || std::isinf(scalars.alpha);
  const double distance = std::fabs(value - expected);
  const double bound =
      bench::error_bound(bench::Arithmetic::of_other_kernels, shape.k, bench::Numbers::random);
  const bool is_near =
      std::isfinite(expected) && bench::error_ratio_of(distance, magnitude, shape.k) <= bound;
  const bool is_right = std::isnan(value) ? may_be_nan : is_near || double{value} == expected;
  return is_right ? "" : fmt::format("row {}, column {}: {} instead of {}", row, column, value, expected);
}

std::string fault_of(const Call& call, const Memory& after) {
  if (!same_bits(after.a, joined(call, &Data::a, call.same_a)) || !same_bits(after.b, joined(call, &Data::b)))
    return "A or B was written to";
  const std::size_t stride = call.data[0].c.size();
  for (std::size_t i = 0; i < call.batch_count(); ++i) {
    const auto first = after.c.begin() + static_cast<std::ptrdiff_t>(i * stride);
    const std::vector<float> c(first, first + static_cast<std::ptrdiff_t>(stride));
    if (std::string damage = damage_around_c(call.gemm, call.data[i], c); !damage.empty()) return damage;
    for (std::size_t row = 0; row < call.gemm.shape.m; ++row) {
      for (std::size_t column = 0; column < call.gemm.shape.n; ++column) {
        std::string fault =
            fault_of_element(call, call.data[i], row, column, c[call.gemm.c.index(row, column)]);
        if (!fault.empty()) return fmt::format("matrix {}, {}", i, fault);
      }
    }
  }
  return {};
}

bool is_refusal(ErrorCode code) {
  return code == ErrorCode::invalid_argument || code == ErrorCode::invalid_leading_dimension ||
         code == ErrorCode::buffer_too_small || code == ErrorCode::kernel_not_found ||
         code == ErrorCode::invalid_kernel_file || code == ErrorCode::invalid_parameter;
}

// Makes one mistake in the call. Its matrices are not empty.
void spoil(Dice& dice, Call& call) {
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
  GemmCase& gemm = call.gemm;
  Place& place = *dice.one_of({&gemm.a, &gemm.b, &gemm.c});
  std::size_t& extent = *dice.one_of({&gemm.shape.m, &gemm.shape.n, &gemm.shape.k});
  switch (dice.below(5)) {
    case 0:
      place.ld = place.length() - 1;
      return;
    case 1:
      call.way = Way::in_order;  // because the size of host memory is unknown
      extent = huge - dice.below(100);
      return;
    case 2:
      call.way = Way::in_order;
      extent = (std::size_t{1} << (33 + dice.below(31))) + dice.below(100);
      return;
    case 3:
      call.options.kernel = dice.one_of({"nosuch", "pack_padded", "/nosuch/x.cl", "..", "tiled\n"});
      return;
    default:
      call.options.parameters = {{"TS", 8}};  // without a kernel
      call.options.kernel.clear();
      return;
  }
}

// Checks a call that must be refused.
std::string fault_of_refusal(Dice& dice, Runner& runner) {
  Call call = random_call(dice);
  const Shape& shape = call.gemm.shape;
  const auto& [alpha, beta] = call.gemm.scalars;
  if (shape.m == 0 || shape.n == 0 || shape.k == 0 || alpha == 0) return {};
  call.gemm.scalars.beta = beta == 1 ? 2 : beta;
  spoil(dice, call);
  try {
    runner.run(call);
  } catch (const Error& error) {
    if (is_refusal(error.code())) return {};
    return describe(call) + ": an Error of another kind: " + error.what();
  }
  return describe(call) + ": was not refused";
}

std::string fault_of_call(Dice& dice, Runner& runner) {
  const Call call = random_call(dice);
  try {
    const Memory once = runner.run(call);
    if (std::string fault = fault_of(call, once); !fault.empty()) return describe(call) + ": " + fault;
    if (!same_bits(once.c, runner.run(call).c)) return describe(call) + ": other bits the second time";
  } catch (const Error& error) {
    // A kernel that was named may need more scratch than the limit, or another device.
    const bool may_be = !call.options.kernel.empty() && (error.code() == ErrorCode::out_of_memory ||
                                                         error.code() == ErrorCode::requirement_failed ||
                                                         error.code() == ErrorCode::device_limit_exceeded);
    if (!may_be) return describe(call) + ": " + error.what();
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  unsigned long calls = 2000;
  unsigned long seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    (name == "--seed" ? seed : calls) = std::strtoul(argv[i + 1], nullptr, 10);
  }
  Runner runner;
  unsigned long faults = 0;
  for (unsigned long i = 0; i < calls && faults < 10; ++i) {
    Dice dice(seed * 1000000 + i);
    const bool is_refused = i % 5 == 4;
    const std::string fault = is_refused ? fault_of_refusal(dice, runner) : fault_of_call(dice, runner);
    if (fault.empty()) continue;
    ++faults;
    std::printf("call %lu of seed %lu: %s\n", i, seed, fault.c_str());
  }
  std::printf("%lu random calls, every fifth of them to be refused, seed %lu: %lu faults\n", calls, seed,
              faults);
  return faults == 0 ? 0 : 1;
}
