// Batches: every kernel is compared with single calls, and must not change anything between the matrices.
#include <cmath>
#include <cstring>
#include <limits>

#include "support/on_device.hpp"
#include "support/reference.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

// `count` GEMMs of one kind, `stride` elements apart.
struct Batch {
  GemmCase one;
  std::size_t count;
  std::size_t stride_a, stride_b, stride_c;
};

// Makes matrices in order with 7 elements between them.
Batch make_batch(const GemmCase& one, std::size_t count) {
  const auto stride = [](const Place& place) {
    return place.buffer_elements() - place.offset - place.tail + 7;
  };
  return {one, count, stride(one.a), stride(one.b), stride(one.c)};
}

Place moved(Place place, std::size_t by) {
  place.offset += by;
  return place;
}

// Returns the i-th GEMM of a batch.
GemmCase gemm_of(const Batch& batch, std::size_t i) {
  GemmCase result = batch.one;
  result.a = moved(result.a, i * batch.stride_a);
  result.b = moved(result.b, i * batch.stride_b);
  result.c = moved(result.c, i * batch.stride_c);
  return result;
}

// Copies every element that is not NaN to `whole`, which has room for it.
void overlay(std::vector<float>& whole, const std::vector<float>& part) {
  if (whole.size() < part.size()) whole.resize(part.size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == part[i]) whole[i] = part[i];
  }
}

// Puts NaN wherever there is no matrix, and into C if beta == 0. The numbers are integers because a single
// call may use another kernel, with another order of additions.
Data data_of(const Batch& batch) {
  Data result;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Data part = integer_data(gemm_of(batch, i), static_cast<std::uint32_t>(i + 1));
    overlay(result.a, part.a);
    overlay(result.b, part.b);
    overlay(result.c, part.c);
  }
  return result;
}

void call_one(const GemmCase& gemm, const DeviceData& buffers, const Options& options) {
  const auto& [form, shape, scalars, a, b, c] = gemm;
  shared_context().sgemm(shared_queue()(), form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n,
                         shape.k, scalars.alpha, matrix_at(buffers.a, a), matrix_at(buffers.b, b),
                         scalars.beta, matrix_at(buffers.c, c), {}, nullptr, options);
}

void call_batch(const Batch& batch, const DeviceData& buffers, const Options& options) {
  const auto& [form, shape, scalars, a, b, c] = batch.one;
  shared_context().sgemm_strided_batched(
      shared_queue()(), form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k,
      scalars.alpha, matrix_at(buffers.a, a), batch.stride_a, matrix_at(buffers.b, b), batch.stride_b,
      scalars.beta, matrix_at(buffers.c, c), batch.stride_c, batch.count, {}, nullptr, options);
}

// Returns the whole buffer of C after single calls.
std::vector<float> single_results(const Batch& batch, const Data& data, const Options& options) {
  const DeviceData buffers = upload(data);
  for (std::size_t i = 0; i < batch.count; ++i) call_one(gemm_of(batch, i), buffers, options);
  return read_buffer(buffers.c);
}

std::vector<float> batch_result(const Batch& batch, const Data& data, const Options& options) {
  const DeviceData buffers = upload(data);
  call_batch(batch, buffers, options);
  CHECK(same_bits(read_buffer(buffers.a), data.a));
  CHECK(same_bits(read_buffer(buffers.b), data.b));
  return read_buffer(buffers.c);
}

void check_batch(const Batch& batch, const Options& options = {}) {
  const Data data = data_of(batch);
  INFO(options.kernel << " batch of " << batch.count << ": " << describe(batch.one));
  const std::vector<float> result = batch_result(batch, data, options);
  CHECK(same_bits(result, single_results(batch, data, options)));
  // Also checks the last one with the reference, so that both cannot be wrong in the same way.
  if (batch.count == 0) return;
  const GemmCase last = gemm_of(batch, batch.count - 1);
  Data before = data;
  std::vector<float> after = result;
  before.c.resize(last.c.buffer_elements());
  after.resize(last.c.buffer_elements());
  CHECK(error_ratio(last, before, after) <= error_bound(last));
}

Options with_kernel(const std::string& kernel) {
  Options result;
  result.kernel = kernel;
  return result;
}

TEST_CASE(
    "a batch gives the results of its single calls with every kernel, both layouts and all transposes") {
  for (const std::string& kernel : kernels_to_test()) {
    for (const Form& form : all_forms()) {
      const GemmCase one = make_gemm_case(form, {33, 17, 21}, {-1.5f, 1}, all_placements()[1]);
      try {
        check_batch(make_batch(one, 3), with_kernel(kernel));
      } catch (const Error& error) {
        if (error.code() != ErrorCode::requirement_failed && error.code() != ErrorCode::device_limit_exceeded)
          throw;
        WARN("NOT TESTED on this device: " << error.what());
        break;
      }
    }
  }
}

TEST_CASE("a batch whose matrices need no packing") {
  for (const char* kernel : {"", "tiled", "float8", "coalesced"}) {
    const GemmCase one = make_gemm_case(all_forms()[0], {64, 96, 32}, {1, 1}, all_placements()[2]);
    Batch batch = make_batch(one, 3);
    batch.stride_a = batch.stride_b = 64 * 128;
    check_batch(batch, with_kernel(kernel));
    batch.stride_a += 1;  // removes the alignment
    check_batch(batch, with_kernel(kernel));
  }
}

TEST_CASE("a batch may share one A, one B, or both") {
  for (const char* kernel : {"", "tiled", "float8", "coalesced"}) {
    for (const Form& form : all_forms()) {
      Batch batch = make_batch(make_gemm_case(form, {33, 17, 40}, {1, -1.5f}, all_placements()[1]), 4);
      batch.stride_a = 0;
      check_batch(batch, with_kernel(kernel));
      batch.stride_b = 0;
      check_batch(batch, with_kernel(kernel));
      batch.stride_a = make_batch(batch.one, 1).stride_a;
      check_batch(batch, with_kernel(kernel));
    }
  }
}

TEST_CASE("a batch of zero GEMMs and of one GEMM") {
  for (const char* kernel : {"", "tiled"}) {
    for (const std::size_t count : {0u, 1u}) {
      const GemmCase one = make_gemm_case(all_forms()[0], {33, 17, 21}, {1, 1}, all_placements()[1]);
      Batch batch = make_batch(one, count);
      if (count == 1) check_batch(batch, with_kernel(kernel));
      if (count == 0) {
        const Data data = random_data(one, 1);
        CHECK(same_bits(batch_result(batch, data, with_kernel(kernel)), data.c));
      }
    }
  }
}

TEST_CASE("a batch of zero GEMMs also has a done event") {
  const GemmCase one = make_gemm_case(all_forms()[0], {3, 3, 3}, {1, 1}, all_placements()[0]);
  const DeviceData buffers = upload(random_data(one, 1));
  cl::Event done;
  shared_context().sgemm_strided_batched(shared_queue()(), Layout::row_major, Transpose::no, Transpose::no, 3,
                                         3, 3, 1, {buffers.a(), 3, 0}, 9, {buffers.b(), 3, 0}, 9, 0,
                                         {buffers.c(), 3, 0}, 9, 0, {}, &done());
  REQUIRE(done() != nullptr);
  done.wait();
}

TEST_CASE("matrices of a batch may be interleaved, but must not overlap") {
  // Matrix i of C is the i-th group of rows of one large matrix.
  GemmCase one = make_gemm_case(all_forms()[0], {20, 10, 15}, {1, 1}, all_placements()[0]);
  one.c.ld = 60;
  Batch batch = make_batch(one, 5);
  batch.stride_c = 12;
  check_batch(batch);

  batch.stride_c = 60;
  const Data data = data_of(batch);
  const DeviceData buffers = upload(data);
  for (const std::size_t stride : {1u, 9u, 30u, 55u}) {  // 30: the first meets the third
    batch.stride_c = stride;
    INFO(stride);
    CHECK_ERROR([&] { call_batch(batch, buffers, {}); }, invalid_argument, "overlap each other");
  }
  CHECK(same_bits(read_buffer(buffers.c), data.c));
}

// All terms have the same C. One large GEMM, whose k is the sum of all k, computes the same sum.
struct Sum {
  Form form;
  Shape shape;  // the shape of a term
  std::size_t count;
  bool is_one_gemm;  // A and B follow each other along k
};

void check_sum(const Sum& sum, const Scalars& scalars, bool in_order) {
  const auto& [m, n, k] = sum.shape;
  const bool is_row_major = sum.form.layout == Layout::row_major;
  // Tells if the lines of a matrix are along k.
  const bool a_along = (sum.form.transpose_a == Transpose::no) == is_row_major;
  const bool b_along = (sum.form.transpose_b == Transpose::yes) == is_row_major;
  const GemmCase whole = make_gemm_case(sum.form, {m, n, k * sum.count}, scalars, all_placements()[0]);
  const Data data = integer_data(whole, 3);
  // Otherwise, the terms are not next to each other along k. They have gaps and another order.
  const std::size_t apart = sum.is_one_gemm ? 0 : 16;
  const auto spread = [&](const std::vector<float>& elements, std::size_t each) {
    std::vector<float> result(sum.count * (each + apart), 7.0f);
    for (std::size_t i = 0; i < sum.count; ++i)
      std::copy_n(elements.begin() + static_cast<std::ptrdiff_t>(i * each), each,
                  result.begin() + static_cast<std::ptrdiff_t>(i * (each + apart)));
    return result;
  };
  Data used = data;
  std::size_t stride_a = a_along ? k : k * whole.a.ld;
  std::size_t stride_b = b_along ? k : k * whole.b.ld;
  if (!sum.is_one_gemm) {
    REQUIRE((!a_along && !b_along));
    used.a = spread(data.a, stride_a);
    used.b = spread(data.b, stride_b);
    stride_a += apart;
    stride_b += apart;
  }
  const cl::CommandQueue queue = make_queue(!in_order);
  const DeviceData buffers = upload(used);
  cl::Event done;
  shared_context().sgemm_strided_batched(
      queue(), sum.form.layout, sum.form.transpose_a, sum.form.transpose_b, m, n, k, scalars.alpha,
      {buffers.a(), whole.a.ld, whole.a.offset}, stride_a, {buffers.b(), whole.b.ld, whole.b.offset},
      stride_b, scalars.beta, {buffers.c(), whole.c.ld, whole.c.offset}, 0, sum.count, {}, &done());
  done.wait();
  CAPTURE(describe(whole), sum.count, sum.is_one_gemm, in_order);
  CHECK(damage_around_c(whole, data, read_buffer(buffers.c)).empty());
  check_result(whole, data, read_buffer(buffers.c));
}

TEST_CASE("a batch with one C for all is the sum of its products") {
  const Shape shape{33, 21, 16};
  for (const Form& form : all_forms()) {
    check_sum({form, shape, 5, true}, {2, 0.5f}, true);
    const bool is_row_major = form.layout == Layout::row_major;
    if ((form.transpose_a == Transpose::yes) != is_row_major ||
        (form.transpose_b == Transpose::no) != is_row_major)
      continue;
    for (const bool in_order : {true, false}) {
      check_sum({form, shape, 7, false}, {-1, 1}, in_order);
      check_sum({form, shape, 3, false}, {1, 0}, in_order);
      check_sum({form, shape, 3, false}, {0, 0.5f}, in_order);
    }
  }
  // All terms have the same A.
  Batch batch = make_batch(make_gemm_case(all_forms()[0], {9, 8, 7}, {1, 1}, all_placements()[1]), 4);
  batch.stride_a = batch.stride_c = 0;
  const Data data = data_of(batch);
  const DeviceData buffers = upload(data);
  call_batch(batch, buffers, {});
  std::vector<float> expected = data.c;
  for (std::size_t i = 0; i < batch.count; ++i) {
    Data one = data;
    one.c = expected;
    const DeviceData again = upload(one);
    call_one(gemm_of(batch, i), again, {});
    expected = read_buffer(again.c);
  }
  CHECK(same_bits(read_buffer(buffers.c), expected));
}

TEST_CASE("a list with one C twice is refused, although a strided batch would be a sum") {
  const GemmCase one = make_gemm_case(all_forms()[0], {9, 8, 7}, {1, 1}, all_placements()[0]);
  const Batch batch = make_batch(one, 2);
  const Data data = data_of(batch);
  const DeviceData buffers = upload(data);
  const DeviceMatrix a{buffers.a(), one.a.ld, one.a.offset};
  const DeviceMatrix b{buffers.b(), one.b.ld, one.b.offset};
  const DeviceMatrix c{buffers.c(), one.c.ld, one.c.offset};
  DeviceMatrix next_a = a;
  next_a.offset += batch.stride_a;
  CHECK_ERROR(
      [&] {
        shared_context().sgemm_batched(shared_queue()(), one.form.layout, one.form.transpose_a,
                                       one.form.transpose_b, 9, 8, 7, {1.0f}, {a, next_a}, {b, b}, {1.0f},
                                       {c, c});
      },
      invalid_argument, "overlap each other");
  CHECK(same_bits(read_buffer(buffers.c), data.c));
}

TEST_CASE("scratch limits cut a batch") {
  const GemmCase one = make_gemm_case(all_forms()[1], {70, 50, 40}, {-1.5f, 1}, all_placements()[1]);
  for (const std::size_t count : {2u, 5u, 7u}) {
    for (const std::size_t limit : {20000u, 50000u, 100000u}) {
      const Batch batch = make_batch(one, count);
      Options options = with_kernel("tiled");
      options.scratch_limit = limit;
      check_batch(batch, options);
    }
  }
}

TEST_CASE("a cut batch with one A for all") {
  Batch batch = make_batch(make_gemm_case(all_forms()[1], {70, 50, 40}, {-1.5f, 1}, all_placements()[1]), 7);
  batch.stride_a = 0;
  Options options = with_kernel("tiled");
  options.scratch_limit = 60000;
  check_batch(batch, options);
}

TEST_CASE("alpha, beta and their zeros in a batch") {
  for (const Scalars& scalars : all_scalars()) {
    for (const std::size_t form : {0u, 5u}) {
      check_batch(
          make_batch(make_gemm_case(all_forms()[form], {33, 17, 21}, scalars, all_placements()[1]), 3));
      check_batch(
          make_batch(make_gemm_case(all_forms()[form], {33, 17, 0}, scalars, all_placements()[1]), 3));
    }
  }
}

TEST_CASE("a large batch of tiny matrices") {
  check_batch(make_batch(make_gemm_case(all_forms()[3], {3, 2, 4}, {1, 1}, all_placements()[1]), 1000));
}

// Matrices at any offsets in several buffers.
struct Scattered {
  GemmCase one;
  std::vector<std::size_t> a_buffer, b_buffer, c_buffer;
  std::vector<std::size_t> a_offset, b_offset, c_offset;
  std::vector<float> alphas, betas;
};

struct ScatteredLists {
  std::vector<float> alphas;
  std::vector<DeviceMatrix> a, b;
  std::vector<float> betas;
  std::vector<DeviceMatrix> c;
};

std::vector<float> random_integers(std::size_t count, std::uint32_t seed) {
  std::vector<float> result = random_elements(count, seed);
  for (float& element : result) element = std::round(8.0f * element);
  return result;
}

class ScatteredRun {
 public:
  explicit ScatteredRun(const Scattered& what) : what_(what) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      const auto make = [i](std::uint32_t seed) { return make_buffer(random_integers(4000, seed + 10 * i)); };
      a_.push_back(make(1));
      b_.push_back(make(2));
      c_.push_back(make(3));
    }
  }

  ScatteredLists lists() const {
    ScatteredLists result{what_.alphas, {}, {}, what_.betas, {}};
    for (std::size_t i = 0; i < what_.a_offset.size(); ++i) {
      result.a.push_back({a_[what_.a_buffer[i]](), what_.one.a.ld, what_.a_offset[i]});
      result.b.push_back({b_[what_.b_buffer[i]](), what_.one.b.ld, what_.b_offset[i]});
      result.c.push_back({c_[what_.c_buffer[i]](), what_.one.c.ld, what_.c_offset[i]});
    }
    return result;
  }

  void call(const ScatteredLists& lists, cl_event* done = nullptr, const Options& options = {}) const {
    const auto& [form, shape, scalars, a, b, c] = what_.one;
    shared_context().sgemm_batched(shared_queue()(), form.layout, form.transpose_a, form.transpose_b, shape.m,
                                   shape.n, shape.k, lists.alphas, lists.a, lists.b, lists.betas, lists.c, {},
                                   done, options);
  }

  void call_singly(const ScatteredLists& lists) const {
    const auto& [form, shape, scalars, a, b, c] = what_.one;
    for (std::size_t i = 0; i < lists.a.size(); ++i) {
      shared_context().sgemm(shared_queue()(), form.layout, form.transpose_a, form.transpose_b, shape.m,
                             shape.n, shape.k, lists.alphas[lists.alphas.size() == 1 ? 0 : i], lists.a[i],
                             lists.b[i], lists.betas[lists.betas.size() == 1 ? 0 : i], lists.c[i]);
    }
  }

  void fill_c(float value) const {
    for (const cl::Buffer& c : c_) shared_queue().enqueueFillBuffer(c, value, 0, 4000 * sizeof(float));
  }

  std::vector<std::vector<float>> contents_of_c() const { return {read_buffer(c_[0]), read_buffer(c_[1])}; }

 private:
  const Scattered& what_;
  std::vector<cl::Buffer> a_, b_, c_;
};

Scattered scattered(const Form& form) {
  const GemmCase one = make_gemm_case(form, {9, 7, 11}, {-1.5f, 1}, all_placements()[1]);
  return {one,
          {0, 0, 0, 1, 1, 0},
          {0, 0, 0, 0, 0, 1},
          {0, 0, 0, 1, 1, 1},
          {5, 205, 405, 17, 0, 800},
          {3, 3, 3, 1000, 500, 0},
          {1, 301, 601, 2000, 11, 1500},
          {-1.5f},
          {1.0f}};
}

void check_scattered(const Scattered& what, const Options& options = {}) {
  const ScatteredRun batched(what);
  const ScatteredRun singly(what);
  cl::Event done;
  batched.call(batched.lists(), &done(), options);
  done.wait();
  singly.call_singly(singly.lists());
  CHECK(batched.contents_of_c() == singly.contents_of_c());
}

TEST_CASE("matrices at irregular places, in several buffers") {
  for (const Form& form : all_forms()) check_scattered(scattered(form));
}

TEST_CASE("matrices at irregular places with every kernel, with an alpha and a beta for each GEMM") {
  for (const std::string& kernel : kernels_to_test()) {
    for (const std::size_t form : {0u, 3u, 5u}) {
      Scattered what = scattered(all_forms()[form]);
      what.alphas = {1, -1.5f, 0, 2, 0, 1};
      what.betas = {0, 1, 0.5f, 0, 1, -1};
      INFO(kernel);
      try {
        check_scattered(what, with_kernel(kernel));
      } catch (const Error& error) {
        if (error.code() != ErrorCode::requirement_failed && error.code() != ErrorCode::device_limit_exceeded)
          throw;
        WARN("NOT TESTED on this device: " << error.what());
        break;
      }
    }
  }
}

// Many small matrices in random order, with no two equal distances in a row.
Scattered many_scattered(const Form& form, std::size_t count) {
  Scattered what;
  what.one = make_gemm_case(form, {3, 2, 4}, {1, 1}, all_placements()[0]);
  for (std::size_t i = 0; i < count; ++i) {
    what.a_buffer.push_back(0);
    what.a_offset.push_back(i * i % 997 * 4);
    what.b_offset.push_back(i * 31 % 1009);
    what.c_offset.push_back((i * 7 % count) * 12 + i % 3);
    what.alphas.push_back(static_cast<float>(i % 4));  // includes 0
    what.betas.push_back(static_cast<float>(i % 3) - 1.0f);
  }
  what.b_buffer = what.c_buffer = what.a_buffer;
  return what;
}

TEST_CASE("a long list of small matrices, more than a work-group has") {
  for (const Form& form : {all_forms()[0], all_forms()[6]}) {
    for (const std::size_t count : {2u, 31u, 300u}) check_scattered(many_scattered(form, count));
  }
}

TEST_CASE("NaN in a list's matrices has no effect if alpha == 0 and beta == 0") {
  Scattered what = scattered(all_forms()[0]);
  what.alphas = {1, 0, 1, 1, 0, 1};
  what.betas = {0, 0, 0, 0, 0, 0};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const ScatteredRun run(what);
  run.fill_c(nan);
  ScatteredLists lists = run.lists();
  const cl::Buffer no_numbers = make_buffer(std::vector<float>(4000, nan));
  for (const std::size_t i : {1u, 4u}) lists.a[i].buffer = no_numbers();
  cl::Event done;
  run.call(lists, &done());
  done.wait();
  const auto contents = run.contents_of_c();
  for (std::size_t i = 0; i < lists.c.size(); ++i) {
    for (std::size_t row = 0; row < 9; ++row) {
      for (std::size_t column = 0; column < 7; ++column) {
        const float element = contents[what.c_buffer[i]][lists.c[i].offset + row * lists.c[i].ld + column];
        REQUIRE(element == element);
      }
    }
  }
}

TEST_CASE("an empty list does nothing, and its event completes") {
  const Scattered what = scattered(all_forms()[0]);
  const ScatteredRun run(what);
  const auto before = run.contents_of_c();
  cl::Event done;
  run.call({{1.0f}, {}, {}, {1.0f}, {}}, &done());
  done.wait();
  CHECK(run.contents_of_c() == before);
}

TEST_CASE("if any matrix of a list is wrong, no C is changed") {
  const Scattered what = scattered(all_forms()[0]);
  const ScatteredRun run(what);
  const auto before = run.contents_of_c();
  const ScatteredLists good = run.lists();

  ScatteredLists lists = good;
  lists.b.pop_back();
  CHECK_ERROR([&] { run.call(lists); }, invalid_argument, "5 matrices B");
  lists = good;
  lists.alphas = {1, 2};
  CHECK_ERROR([&] { run.call(lists); }, invalid_argument, "2 alphas for 6");
  lists = good;
  lists.c[4].offset = lists.c[3].offset + 2;  // in a list of irregular offsets
  CHECK_ERROR([&] { run.call(lists); }, invalid_argument, "overlap each other: those of GEMMs 3 and 4");
  lists = good;
  lists.c[5] = {good.c[0].buffer, good.c[0].ld, good.c[0].offset + 2};  // far from it in the list
  CHECK_ERROR([&] { run.call(lists); }, invalid_argument, "overlap each other: those of GEMMs 0 and 5");
  lists = good;
  lists.a.back().buffer = nullptr;
  CHECK_ERROR([&] { run.call(lists); }, invalid_argument, "GEMM 5: the buffer of A is null");
  lists = good;
  lists.c.back().offset = 4000;
  CHECK_ERROR([&] { run.call(lists); }, buffer_too_small, "of C has");
  lists = good;
  lists.b.back().ld = 1;
  CHECK_ERROR([&] { run.call(lists); }, invalid_leading_dimension, "GEMM 5: ldb is 1");
  lists = good;
  lists.a.back() = lists.c.back();
  lists.a.back().ld = good.a.back().ld;
  CHECK_ERROR([&] { run.call(lists); }, invalid_argument, "C overlaps A");
  lists = good;
  lists.c[1] = lists.c[0];
  lists.a[1] = lists.a[0];
  lists.b[1] = lists.b[0];
  CHECK_ERROR([&] { run.call(lists); }, invalid_argument, "overlap each other");
  lists = good;
  for (auto* const list : {&lists.a, &lists.b, &lists.c}) {
    list->resize(2);
    list->at(1) = list->at(0);
    ++list->at(1).offset;
  }
  lists.alphas = lists.betas = {1.0f};
  try {
    run.call(lists);
    FAIL("two C that overlap were taken");
  } catch (const Error& error) {
    CHECK(error.argument() == Argument::c);
    CHECK(contains(error.what(), "overlap each other: those of 2 GEMMs, the first of which is number 0"));
  }

  CHECK(run.contents_of_c() == before);
}

TEST_CASE(
    "matrices C that overlap in the parent of two sub-buffers are found, but not matrices that only touch") {
  const cl::Buffer parent = make_buffer(std::vector<float>(8192));
  const auto part = [&parent](std::size_t first) {
    const cl_buffer_region region{first * sizeof(float), 4096 * sizeof(float)};
    return cl::Buffer(parent).createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
  };
  const cl::Buffer front = part(0), middle = part(2048), other = make_buffer(std::vector<float>(64));
  const auto call = [&](std::size_t place_in_front) {
    const DeviceMatrix a{other(), 8, 0};
    const std::vector<DeviceMatrix> c = {
        {middle(), 8, 100}, {other(), 8, 32}, {front(), 8, place_in_front}, {front(), 8, 0}};
    shared_context().sgemm_batched(shared_queue()(), Layout::row_major, Transpose::no, Transpose::no, 4, 8, 4,
                                   {1}, {a, a, a, a}, {a, a, a, a}, {0}, c);
  };
  CHECK_ERROR([&] { call(2048 + 100 + 31); }, invalid_argument, "those of GEMMs 0 and 2");
  CHECK_NOTHROW(call(2048 + 100 + 32));
  shared_queue().finish();
}

TEST_CASE("every argument of a strided batch is checked before any work") {
  const Batch batch = make_batch(make_gemm_case(all_forms()[0], {9, 7, 11}, {1, 1}, all_placements()[1]), 3);
  const Data data = data_of(batch);
  const DeviceData buffers = upload(data);
  const auto changed = [&](auto change) {
    Batch wrong = batch;
    change(wrong);
    return [wrong, &buffers] { call_batch(wrong, buffers, {}); };
  };
  constexpr std::size_t negative = ~std::size_t{0};
  CHECK_ERROR(changed([](Batch& b) { b.count = 4; }), buffer_too_small, "of A");
  CHECK_ERROR(changed([](Batch& b) { b.count = negative; }), invalid_argument, "batch count");
  CHECK_ERROR(changed([](Batch& b) { b.stride_a *= 2; }), buffer_too_small, "of A");
  CHECK_ERROR(changed([](Batch& b) { b.stride_b *= 2; }), buffer_too_small, "of B");
  CHECK_ERROR(changed([](Batch& b) { b.stride_c *= 2; }), buffer_too_small, "of C");
  CHECK_ERROR(changed([](Batch& b) { b.stride_a = negative; }), invalid_argument, "A is too large");
  CHECK_ERROR(changed([](Batch& b) { b.stride_c = negative; }), invalid_argument, "C is too large");
  CHECK_ERROR(changed([](Batch& b) { b.one.a.ld = 1; }), invalid_leading_dimension, "lda");
  CHECK_ERROR(
      [&] {
        const cl::Buffer both = make_buffer(std::vector<float>(4000));
        call_batch(batch, {both, buffers.b, both}, {});
      },
      invalid_argument, "C overlaps A");
  CHECK(same_bits(read_buffer(buffers.c), data.c));
}

}  // namespace
}  // namespace clgemm
