// Compares batches of host matrices, in place and gathered, with one call for each GEMM.
#include "host/host_batches.hpp"

#include <limits>

#include "context/context.hpp"
#include "support/on_device.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

constexpr std::size_t count = 9;

// Returns small integers, so that every order of sums gives the same bits, and other values between the
// matrices.
std::vector<float> numbers(std::size_t size, std::size_t seed) {
  std::vector<float> result(size);
  for (std::size_t i = 0; i < size; ++i) result[i] = static_cast<float>((i * 7 + seed * 3) % 11) - 5.0f;
  return result;
}

// Makes a Context that copies, like that of a device with its own memory, or one that works in place.
struct Made {
  explicit Made(bool copies) {
    if (copies) state_of(context).host().always_copy();
  }
  Context context{shared_device()()};
};

struct Form {
  Layout layout;
  Transpose transpose_a, transpose_b;
};

// GEMMs of 13 x 9 x 17 with gaps between lines and between matrices.
struct Task {
  Form form;
  std::size_t m = 13, n = 9, k = 17, ld = 23;
  std::size_t stride_a = 23 * 17 + 5, stride_b = 23 * 17 + 1, stride_c = 23 * 13 + 3;
  std::vector<float> a = numbers(count * stride_a, 1);
  std::vector<float> b = numbers(count * stride_b, 2);
  std::vector<float> c = numbers(count * stride_c, 3);

  // Returns all C, computed by one call for each GEMM.
  std::vector<float> one_by_one(Context& context, const std::vector<float>& alphas,
                                const std::vector<float>& betas) const {
    std::vector<float> result = c;
    for (std::size_t i = 0; i < count; ++i)
      context.sgemm(form.layout, form.transpose_a, form.transpose_b, m, n, k, alphas[i],
                    a.data() + i * stride_a, ld, b.data() + i * stride_b, ld, betas[i],
                    result.data() + i * stride_c, ld);
    return result;
  }

  std::vector<float> strided(auto& owner, float alpha, float beta, const Options& options = {}) const {
    std::vector<float> result = c;
    owner.sgemm_strided_batched(form.layout, form.transpose_a, form.transpose_b, m, n, k, alpha, a.data(), ld,
                                stride_a, b.data(), ld, stride_b, beta, result.data(), ld, stride_c, count,
                                options);
    return result;
  }

  // Makes a call with the matrices in another order, so their distances are not constant.
  std::vector<float> listed(auto& owner, const std::vector<float>& alphas,
                            const std::vector<float>& betas) const {
    std::vector<float> result = c;
    listed_into(result, owner, alphas, betas);
    return result;
  }

  void listed_into(std::vector<float>& result, auto& owner, const std::vector<float>& alphas,
                   const std::vector<float>& betas, const Options& options = {}) const {
    std::vector<const float*> all_a, all_b;
    std::vector<float*> all_c;
    std::vector<float> of_alphas, of_betas;
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t i = j * 4 % count;
      all_a.push_back(a.data() + i * stride_a);
      all_b.push_back(b.data() + i * stride_b);
      all_c.push_back(result.data() + i * stride_c);
      of_alphas.push_back(alphas.size() == 1 ? alphas[0] : alphas[i]);
      of_betas.push_back(betas.size() == 1 ? betas[0] : betas[i]);
    }
    owner.sgemm_batched(form.layout, form.transpose_a, form.transpose_b, m, n, k,
                        alphas.size() == 1 ? alphas : of_alphas, all_a, ld, all_b, ld,
                        betas.size() == 1 ? betas : of_betas, all_c, ld, options);
  }
};

std::vector<Form> forms() {
  std::vector<Form> result;
  for (const Layout layout : {Layout::row_major, Layout::column_major}) {
    for (const Transpose a : {Transpose::no, Transpose::yes}) {
      for (const Transpose b : {Transpose::no, Transpose::yes}) result.push_back({layout, a, b});
    }
  }
  return result;
}

TEST_CASE(
    "batches of host matrices give the bits of single calls, and do not change memory between the matrices") {
  for (const bool copies : {false, true}) {
    Made made(copies);
    for (const Form& form : forms()) {
      const Task task{form};
      for (const float beta : {0.0f, 2.0f}) {
        INFO(copies << " " << beta);
        const std::vector<float> expected =
            task.one_by_one(made.context, std::vector(count, 3.0f), std::vector(count, beta));
        CHECK(same_bits(task.strided(made.context, 3.0f, beta), expected));
        CHECK(same_bits(task.listed(made.context, {3.0f}, {beta}), expected));
      }
    }
  }
}

TEST_CASE("the GEMMs of a list may have their own factors") {
  Made made(true);
  const Task task{forms()[1]};
  const std::vector<float> alphas = {1, 2, 0, 1, 2, 0, 1, 2, 0};
  const std::vector<float> betas = {0, 1, 2, 0, 1, 2, 1, 0, 0};
  CHECK(same_bits(task.listed(made.context, alphas, betas), task.one_by_one(made.context, alphas, betas)));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> result = task.listed(made.context, {nan}, {1.0f});
  CHECK(result[0] != result[0]);
}

TEST_CASE("all GEMMs may share one A or B, and products may be added into one C") {
  for (const bool copies : {false, true}) {
    Made made(copies);
    Task task{forms()[0]};
    task.stride_a = 0;
    CHECK(same_bits(task.strided(made.context, 1.0f, 1.0f),
                    task.one_by_one(made.context, std::vector(count, 1.0f), std::vector(count, 1.0f))));
    task.stride_c = 0;
    std::vector<float> betas(count, 1.0f);
    betas.front() = 2.0f;
    CHECK(same_bits(task.strided(made.context, 1.0f, 2.0f),
                    task.one_by_one(made.context, std::vector(count, 1.0f), betas)));
    CHECK(same_bits(task.strided(made.context, 0.0f, 2.0f),
                    task.one_by_one(made.context, std::vector(count, 0.0f), betas)));
  }
}

SgemmShape shape_of(std::size_t side) {
  SgemmShape shape;
  shape.m = shape.n = shape.k = side;
  shape.batch_count = count;
  shape.stride_a = shape.stride_b = side * side;
  return shape;
}

TEST_CASE("a batch runs in one launch if that is faster, and explain_host() says so") {
  Made in_place(false);
  CHECK(contains(in_place.context.explain_host(shape_of(32)), "9 GEMMs, in place, 9 in one"));
  CHECK(contains(in_place.context.explain_host(shape_of(1000)), "in place, 9 in one launch"));
  Made copying(true);
  CHECK(contains(copying.context.explain_host(shape_of(32)), "gathered in pinned memory, 9 in one launch"));
  CHECK(contains(copying.context.explain_host(shape_of(1000)), "batch: 9 GEMMs, one after another"));
  Options limited;
  limited.device_memory_limit = std::size_t{1} << 20;
  CHECK(contains(copying.context.explain_host(shape_of(32), limited), "one after another"));
  const Task task{forms()[0]};
  CHECK(same_bits(task.strided(copying.context, 1.0f, 0.0f, limited),
                  task.one_by_one(copying.context, std::vector(count, 1.0f), std::vector(count, 0.0f))));
}

TEST_CASE("if a batch is too large to be gathered at once, it runs in several launches") {
  Made made(true);
  constexpr std::size_t side = 150, many = 300;  // 20 million elements
  const std::vector<float> a = numbers(side * side, 1);
  const std::vector<float> b = numbers(many * side * side, 2);
  std::vector<float> c(many * side * side, -1.0f), expected = c;
  SgemmShape shape = shape_of(side);
  shape.batch_count = many;
  const std::string said = made.context.explain_host(shape);
  INFO(said);
  CHECK(contains(said, "300 GEMMs, gathered"));
  CHECK_FALSE(contains(said, "300 in one launch"));
  made.context.sgemm_strided_batched(Layout::row_major, Transpose::no, Transpose::no, side, side, side, 1.0f,
                                     a.data(), side, 0, b.data(), side, side * side, 0.0f, c.data(), side,
                                     side * side, many);
  for (const std::size_t i : {std::size_t{0}, many / 2, many - 1})
    made.context.sgemm(Layout::row_major, Transpose::no, Transpose::no, side, side, side, 1.0f, a.data(),
                       side, b.data() + i * side * side, side, 0.0f, expected.data() + i * side * side, side);
  for (const std::size_t i : {std::size_t{0}, many / 2, many - 1}) {
    const auto begin = static_cast<std::ptrdiff_t>(i * side * side);
    CHECK(std::equal(expected.begin() + begin, expected.begin() + begin + side * side, c.begin() + begin));
  }
}

TEST_CASE("the predicted time of a batch includes the copies to the device") {
  Made in_place(false);
  Made copying(true);
  for (const std::size_t side : {32U, 1000U}) {
    SgemmShape one = shape_of(side);
    one.batch_count = 1;
    const double of_one = copying.context.predicted_seconds_host(one);
    CHECK(of_one > copying.context.predicted_seconds(one));
    CHECK(of_one > in_place.context.predicted_seconds_host(one));
    CHECK(copying.context.predicted_seconds_host(shape_of(side)) <= count * of_one * 1.001);
    CHECK(copying.context.predicted_seconds_host(shape_of(side)) > of_one);
  }
  SgemmShape nothing = shape_of(32);
  nothing.k = 0;
  CHECK(copying.context.predicted_seconds_host(nothing) == 0.0);
}

TEST_CASE("wrong batches of host matrices are refused with the reason, before any work") {
  Made made(false);
  const Task task{forms()[0]};
  std::vector<float> c = task.c;
  const auto call = [&](const std::vector<const float*>& a, const std::vector<float*>& to,
                        const std::vector<float>& alphas = {1.0f}) {
    made.context.sgemm_batched(Layout::row_major, Transpose::no, Transpose::no, 13, 9, 17, alphas, a, 23,
                               {task.b.data(), task.b.data()}, 23, {0.0f}, to, 23);
  };
  const std::vector<const float*> two = {task.a.data(), task.a.data()};
  const std::vector<float*> apart = {c.data(), c.data() + task.stride_c};
  CHECK_ERROR([&] { call({task.a.data()}, apart); }, invalid_argument,
              "1 matrices A, 2 matrices B and 2 matrices C");
  CHECK_ERROR([&] { call(two, apart, {1, 1, 1}); }, invalid_argument, "3 alphas for 2 GEMMs");
  CHECK_ERROR([&] { call({task.a.data(), nullptr}, apart); }, invalid_argument, "GEMM 1: a is null");
  CHECK_ERROR([&] { call(two, {c.data(), c.data() + 5}); }, invalid_argument, "those of GEMMs 0 and 1");
  CHECK_ERROR(
      [&] {
        call({task.a.data(), c.data() + task.stride_c + 3}, apart);
      },
      invalid_argument, "GEMM 1: C overlaps A");
  const auto strided = [&](std::size_t stride_c, const float* a) {
    made.context.sgemm_strided_batched(Layout::row_major, Transpose::no, Transpose::no, 13, 9, 17, 1.0f, a,
                                       23, 0, task.b.data(), 23, 0, 0.0f, c.data(), 23, stride_c, 3);
  };
  CHECK_ERROR([&] { strided(5, task.a.data()); }, invalid_argument, "stride_c is 5");
  CHECK_ERROR([&] { strided(task.stride_c, c.data() + task.stride_c); }, invalid_argument, "C overlaps A");
  CHECK_ERROR([&] { strided(task.stride_c, nullptr); }, invalid_argument, "a is null");
  CHECK(same_bits(c, task.c));
  made.context.sgemm_batched(Layout::row_major, Transpose::no, Transpose::no, 13, 9, 17, {1.0f}, {}, 23, {},
                             23, {0.0f}, {}, 23);  // not part of a GEMM
}

// Options that no GEMM can be computed with.
std::vector<Options> wrong_options(const cl::Buffer& foreign_scratch) {
  std::vector<Options> result(5);
  result[0].kernel = "no_such_kernel";
  result[1].kernel = "tiled";
  result[1].kernel_file = "tiled.cl";
  result[2].parameters = {{"TS", 16}};
  result[3].kernel = "tiled";
  result[3].scratch_limit = 100;
  result[4].scratch = foreign_scratch();
  return result;
}

// GEMM 0 and GEMM 3 need no kernel and no scratch, because their alpha is 0.
TEST_CASE(
    "if the options of a list are wrong, no C is changed, even if some GEMMs would not use the options") {
  const cl::Context other(shared_device());
  const cl::Buffer foreign_scratch(other, CL_MEM_READ_WRITE, 4096);
  const std::vector<float> alphas = {0, 1, 2, 0, 1, 2, 1, 2, 1};
  const Task task{forms()[0]};
  const auto check = [&](auto& owner) {
    for (const Options& options : wrong_options(foreign_scratch)) {
      INFO(options.kernel << " " << options.kernel_file << " " << options.scratch_limit);
      std::vector<float> c = task.c;
      CHECK_THROWS_AS(task.listed_into(c, owner, alphas, {2.0f}, options), Error);
      CHECK(same_bits(c, task.c));
    }
  };
  for (const bool copies : {false, true}) {
    Made made(copies);
    check(made.context);
  }
  DeviceSet devices("all");
  check(devices);
}

TEST_CASE("devices share the GEMMs of a batch, or the fastest device computes all if they are small") {
  DeviceSet devices("all");
  Context context(shared_device()());
  const Task task{forms()[3]};
  const std::vector<float> ones(count, 1.0f);
  CHECK(same_bits(task.strided(devices, 1.0f, 1.0f), task.one_by_one(context, ones, ones)));
  CHECK(same_bits(task.listed(devices, {1.0f}, ones), task.one_by_one(context, ones, ones)));
  CHECK(contains(devices.explain_host(shape_of(32)), "batch: 9 GEMMs"));
}

}  // namespace
}  // namespace clgemm
