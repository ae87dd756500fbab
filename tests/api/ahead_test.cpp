// The answers to questions before a call match what the call then does: explain(), sgemm_scratch_bytes(),
// prepare(), and scratch memory that the caller provides.
#include <fmt/format.h>

#include <algorithm>

#include "build/disk_cache.hpp"

#include "support/on_device.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

const GemmCase& packing_gemm() {
  static const GemmCase gemm = make_gemm_case({Layout::row_major, Transpose::no, Transpose::yes},
                                              {150, 90, 210}, {-1.5f, 1}, all_placements()[1]);
  return gemm;
}

SgemmShape shape_of(const GemmCase& gemm) {
  const auto& [form, shape, scalars, a, b, c] = gemm;
  SgemmShape result{form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k};
  result.lda = a.ld;
  result.ldb = b.ld;
  result.ldc = c.ld;
  result.offset_a = a.offset;
  result.offset_b = b.offset;
  return result;
}

Options with_kernel(const std::string& kernel) {
  Options result;
  result.kernel = kernel;
  return result;
}

cl::Buffer scratch_of(std::size_t bytes, cl_mem_flags access = CL_MEM_READ_WRITE) {
  return cl::Buffer(shared_cl_context(), access, bytes);
}

TEST_CASE(
    "explain() names the kernel, its parameters, the forms, the padding, the blocks and the scratch memory") {
  Options in_one_part = with_kernel("tiled");
  in_one_part.parameters = {{"SPLIT_K", 1}};
  const std::string plan = shared_context().explain(shape_of(packing_gemm()), in_one_part);
  INFO(plan);
  for (const char* part :
       {"kernel: tiled TS=16 TSK=16 (built-in/tiled.cl)\n", "chosen: named by the caller\n",
        "op(A): packed by pack_padded, leading dimension 224\n",
        "op(B): packed by pack_padded, leading dimension 96\n",
        "padding: m 150 to 160, n 90 to 96, k 210 to 224\n",
        "blocks: 1 of at most 150 x 90 x 210, 1 of 1 GEMMs at a time\n"}) {
    CHECK(contains(plan, part));
  }
  CHECK(contains(plan, "device: " + shared_device_info().name + "\n"));
  CHECK(contains(plan, "scratch: " + std::to_string((160 * 224 + 224 * 96) * 4) + " bytes\n"));
}

TEST_CASE("explain() for a call without packing, for a column-major call, and for an empty call") {
  SgemmShape shape;
  shape.m = shape.n = shape.k = 64;
  std::string plan = shared_context().explain(shape, with_kernel("tiled"));
  INFO(plan);
  CHECK(contains(plan, "op(A): used in place, because it already has the right form\n"));
  CHECK(contains(plan, "scratch: 0 bytes\n"));
  CHECK_FALSE(contains(plan, "layout:"));
  shape.layout = Layout::column_major;
  plan = shared_context().explain(shape, {});
  CHECK(contains(plan, "layout: column-major, computed as the row-major C^T = op(B)^T op(A)^T\n"));
  CHECK((contains(plan, "chosen: from the speed model: ") || contains(plan, "chosen: measured: ")));
  shape.k = 0;
  CHECK(shared_context().explain(shape, {}) == "kernel: none, because there is nothing to compute\n");
  CHECK(shared_context().sgemm_scratch_bytes(shape) == 0);
}

TEST_CASE("explain() assumes malloc's alignment for host matrices that are used in place") {
  SgemmShape shape;
  shape.m = shape.n = shape.k = 512;
  const std::string on_host = shared_context().explain_host(shape);
  if (!contains(on_host, "used in place")) {
    WARN("NOT TESTED: on this device host matrices are copied");
    return;
  }
  const std::string on_device = shared_context().explain(shape);
  const auto from_kernel = [](const std::string& text) { return text.substr(text.find("kernel: ")); };
  CHECK(from_kernel(on_host) == from_kernel(on_device));
}

TEST_CASE("explain() and similar functions check the shape as a call does") {
  SgemmShape shape;
  shape.m = shape.n = shape.k = 64;
  shape.lda = 3;
  CHECK_ERROR([&] { shared_context().explain(shape, {}); }, invalid_leading_dimension, "lda is 3");
  CHECK_ERROR([&] { shared_context().sgemm_scratch_bytes(shape); }, invalid_leading_dimension, "lda is 3");
  CHECK_ERROR([&] { shared_context().prepare({shape}); }, invalid_leading_dimension, "lda is 3");
  CHECK_ERROR([&] { shared_context().predicted_seconds(shape); }, invalid_leading_dimension, "lda is 3");
  shape.lda = 0;
  CHECK_ERROR([&] { shared_context().prepare({shape}, with_kernel("nosuch")); }, kernel_not_found, "nosuch");
}

TEST_CASE("predicted_seconds() agrees with explain(), builds nothing, and is 0 for an empty call") {
  SgemmShape shape;
  shape.m = shape.n = shape.k = 257;
  const double seconds = shared_context().predicted_seconds(shape);
  CHECK(seconds > 0.0);
  CHECK(contains(shared_context().explain(shape), fmt::format("{:.3g} ms", seconds * 1e3)));
  CHECK(shared_context().predicted_seconds(shape, with_kernel("naive")) > 0.0);
  CHECK(context_for(shared_queue()())->predicted_seconds(shape) == seconds);
  CHECK(predicted_seconds(shape) == seconds);
  release_contexts();
  shape.k = 0;
  CHECK(shared_context().predicted_seconds(shape) == 0.0);
}

TEST_CASE(
    "the caller's scratch buffer gives one block if it has the returned size, and more blocks if it is "
    "smaller") {
  const GemmCase& gemm = packing_gemm();
  const Data data = random_data(gemm, 1);
  for (const char* kernel : {"tiled", "float8", "wpt"}) {
    Options options = with_kernel(kernel);
    // With split-K, the plan would save memory by fewer slices before it takes more blocks.
    options.parameters = {{"SPLIT_K", 1}};
    const Options without_scratch = options;
    const std::size_t bytes = shared_context().sgemm_scratch_bytes(shape_of(gemm), options);
    REQUIRE(bytes != 0);
    INFO(kernel << ", " << bytes << " bytes");
    const cl::Buffer exact = scratch_of(bytes);
    options.scratch = exact();
    CHECK(contains(shared_context().explain(shape_of(gemm), options), "blocks: 1 of"));
    CHECK(same_bits(run_on_device(gemm, data, options), run_on_device(gemm, data, without_scratch)));

    const cl::Buffer short_by_one = scratch_of(bytes - sizeof(float));
    options.scratch = short_by_one();
    CHECK_FALSE(contains(shared_context().explain(shape_of(gemm), options), "blocks: 1 of"));
    check_on_device(gemm, data, options);

    const cl::Buffer small = scratch_of(bytes / 3);
    options.scratch = small();
    CHECK(shared_context().sgemm_scratch_bytes(shape_of(gemm), options) <= bytes / 3);
    check_on_device(gemm, data, options);
  }
}

TEST_CASE("a call stays within the caller's scratch buffer") {
  const GemmCase& gemm = packing_gemm();
  const Data data = random_data(gemm, 1);
  Options options = with_kernel("tiled");
  const std::size_t bytes = shared_context().sgemm_scratch_bytes(shape_of(gemm), options);
  // The scratch is a part of a larger buffer. The rest of that buffer must not change.
  const std::size_t part = (bytes + 4095) / 4096 * 4096;
  const std::vector<float> before(3 * part / sizeof(float), 42.0f);
  cl::Buffer whole = make_buffer(before);
  cl_buffer_region region{part, bytes};
  const cl::Buffer middle = whole.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
  options.scratch = middle();
  check_on_device(gemm, data, options);
  const std::vector<float> after = read_buffer(whole);
  const auto damaged = [&](std::size_t first, std::size_t last) {
    return std::any_of(after.begin() + static_cast<std::ptrdiff_t>(first / sizeof(float)),
                       after.begin() + static_cast<std::ptrdiff_t>(last / sizeof(float)),
                       [](float element) { return element != 42.0f; });
  };
  CHECK_FALSE(damaged(0, part));
  CHECK(damaged(part, part + bytes));
  CHECK_FALSE(damaged(part + bytes, 3 * part));
}

TEST_CASE("sgemm_scratch_bytes() works for batches") {
  SgemmShape shape = shape_of(packing_gemm());
  Options in_one_part = with_kernel("tiled");  // like batches
  in_one_part.parameters = {{"SPLIT_K", 1}};
  const std::size_t one = shared_context().sgemm_scratch_bytes(shape, in_one_part);
  shape.batch_count = 5;
  shape.stride_a = 100000;
  shape.stride_b = 100000;
  CHECK(shared_context().sgemm_scratch_bytes(shape, with_kernel("tiled")) == 5 * one);
  shape.stride_b = 0;  // one packed copy for all GEMMs
  const std::size_t shared_b = shared_context().sgemm_scratch_bytes(shape, with_kernel("tiled"));
  CHECK(shared_b < 5 * one);
  CHECK(shared_b > one);
}

TEST_CASE("a wrong scratch buffer is refused with the option's name, and C is unchanged") {
  const GemmCase& gemm = packing_gemm();
  const Data data = random_data(gemm, 1);
  const DeviceData buffers = upload(data);
  const auto call_with = [&](cl_mem scratch) {
    return [&, scratch] {
      const auto& [form, shape, scalars, a, b, c] = gemm;
      Options options = with_kernel("tiled");
      options.scratch = scratch;
      shared_context().sgemm(shared_queue()(), form.layout, form.transpose_a, form.transpose_b, shape.m,
                             shape.n, shape.k, scalars.alpha, matrix_at(buffers.a, a),
                             matrix_at(buffers.b, b), scalars.beta, matrix_at(buffers.c, c), {}, nullptr,
                             options);
    };
  };
  const cl::Buffer read_only = scratch_of(1 << 20, CL_MEM_READ_ONLY);
  const cl::Buffer write_only = scratch_of(1 << 20, CL_MEM_WRITE_ONLY);
  CHECK_ERROR(call_with(read_only()), invalid_argument, "CL_MEM_READ_WRITE");
  CHECK_ERROR(call_with(write_only()), invalid_argument, "CL_MEM_READ_WRITE");
  CHECK_ERROR(call_with(buffers.c()), invalid_argument, "memory with a matrix");
  const cl::Context other(shared_device());
  const cl::Buffer foreign(other, CL_MEM_READ_WRITE, 1 << 20);
  CHECK_ERROR(call_with(foreign()), wrong_context, "Options::scratch");
  const cl::Buffer tiny = scratch_of(64);
  CHECK_ERROR(call_with(tiny()), out_of_memory, "the limit is 64");
  CHECK(same_bits(read_buffer(buffers.c), data.c));
}

std::size_t entries_in(const TemporaryFolder& folder) {
  return DiskCache(folder.path(), 1).info().entries;
}

TEST_CASE("prepare() compiles all that the calls need") {
  const TemporaryFolder cache;
  const ScopedVariable folder("CLGEMM_CACHE_DIR", cache.path());
  const ScopedVariable self_test("CLGEMM_SELF_TEST", nullptr);
  const GemmCase& large = packing_gemm();
  const GemmCase small = make_gemm_case({Layout::column_major, Transpose::yes, Transpose::no}, {9, 8, 7},
                                        {1, 1}, all_placements()[1]);
  {
    Context context(shared_device()());
    context.prepare({shape_of(large), shape_of(small)});
  }
  const std::size_t prepared = entries_in(cache);
  CHECK(prepared >= 1);
  {
    Context context(shared_device()());
    for (const GemmCase& gemm : {large, small}) {
      const Data data = random_data(gemm, 1);
      std::vector<float> result = data.c;
      const auto& [form, shape, scalars, a, b, c] = gemm;
      context.sgemm(form.layout, form.transpose_a, form.transpose_b, shape.m, shape.n, shape.k, scalars.alpha,
                    data.a.data() + a.offset, a.ld, data.b.data() + b.offset, b.ld, scalars.beta,
                    result.data() + c.offset, c.ld);
      check_result(gemm, data, result);
    }
  }
  CHECK(entries_in(cache) == prepared);
}

TEST_CASE("prepare() compiles nothing for an empty list and for shapes without work") {
  const TemporaryFolder cache;
  const ScopedVariable folder("CLGEMM_CACHE_DIR", cache.path());
  {
    Context context(shared_device()());
    context.prepare({});
    context.prepare({SgemmShape{}});
  }
  CHECK(entries_in(cache) == 0);
}

TEST_CASE("all functions use the same Context for a queue, which outlives release_contexts()") {
  const std::shared_ptr<Context> context = context_for(shared_queue()());
  CHECK(context_for(shared_queue()()) == context);
  CHECK(context->device() == shared_context().device());
  release_contexts();
  CHECK(context_for(shared_queue()()) != context);
  const SgemmShape shape = shape_of(packing_gemm());
  CHECK(context->explain(shape, with_kernel("tiled")) ==
        shared_context().explain(shape, with_kernel("tiled")));
  release_contexts();
  CHECK_ERROR([] { context_for(nullptr); }, invalid_argument, "the queue is null");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST_CASE("the deprecated functions use the Context of the queue") {
  const cl_command_queue queue = shared_queue()();
  const SgemmShape shape = shape_of(packing_gemm());
  prepare(queue, {shape});
  CHECK(explain(queue, shape, with_kernel("tiled")) == shared_context().explain(shape, with_kernel("tiled")));
  CHECK(sgemm_scratch_bytes(queue, shape, with_kernel("tiled")) ==
        shared_context().sgemm_scratch_bytes(shape, with_kernel("tiled")));
  CHECK(predicted_seconds(queue, shape) == predicted_seconds(nullptr, shape));
  release_contexts();
}
#pragma GCC diagnostic pop

}  // namespace
}  // namespace clgemm
