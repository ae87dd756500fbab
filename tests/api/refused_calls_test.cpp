// Every error of a call has the right code and a text that names what is wrong, and C keeps its bits.
#include <fmt/format.h>

#include <functional>

#include "support/on_device.hpp"
#include "support/temporary.hpp"
#include "support/thrown.hpp"

namespace clgemm {
namespace {

using namespace test;

constexpr std::size_t minus_one = static_cast<std::size_t>(-1);

// A valid call with host matrices, 4 x 6 times 6 x 8, row-major. A test makes one part of it invalid.
struct HostCall {
  Layout layout = Layout::row_major;
  Transpose transpose_a = Transpose::no, transpose_b = Transpose::no;
  std::size_t m = 4, n = 8, k = 6;
  std::vector<float> a_elements = random_elements(200, 1);
  std::vector<float> b_elements = random_elements(200, 2);
  const float* a = a_elements.data();
  const float* b = b_elements.data();
  std::size_t lda = 6, ldb = 8, ldc = 8;
  float alpha = 1, beta = 1;
  Options options;
  bool c_is_null = false;

  void run(std::vector<float>& c) const {
    shared_context().sgemm(layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta,
                           c_is_null ? nullptr : c.data(), ldc, options);
  }
};

struct HostCase {
  std::function<void(HostCall&)> spoil;
  ErrorCode code;
  std::string part;  // a part of the text
};

void check_host_cases(const std::vector<HostCase>& cases) {
  for (const HostCase& bad : cases) {
    HostCall call;
    bad.spoil(call);
    const std::vector<float> before = random_elements(200, 3);
    std::vector<float> c = before;
    INFO("expected: " << bad.part);
    const Thrown thrown = thrown_by([&] { call.run(c); });
    INFO("said: " << thrown.text);
    CHECK(thrown.code == bad.code);
    CHECK(contains(thrown.text, bad.part));
    CHECK(same_bits(c, before));
  }
}

TEST_CASE("the call that the other tests change is correct") {
  std::vector<float> c = random_elements(200, 3);
  const std::vector<float> before = c;
  CHECK_NOTHROW(HostCall().run(c));
  CHECK_FALSE(same_bits(c, before));
}

TEST_CASE("leading dimensions: zero, negative, too short; in every layout and transpose") {
  constexpr ErrorCode code = ErrorCode::invalid_leading_dimension;
  check_host_cases({
      {[](HostCall& c) { c.lda = 0; }, code, "lda is 0"},
      {[](HostCall& c) { c.ldb = 0; }, code, "ldb is 0"},
      {[](HostCall& c) { c.ldc = 0; }, code, "ldc is 0"},
      {[](HostCall& c) { c.lda = minus_one; }, code, "lda is -1"},
      {[](HostCall& c) { c.ldb = minus_one; }, code, "ldb is -1"},
      {[](HostCall& c) { c.ldc = minus_one; }, code, "ldc is -1"},
      {[](HostCall& c) { c.lda = 5; }, code, "lda must be at least 6"},
      {[](HostCall& c) { c.ldb = 7; }, code, "ldb must be at least 8"},
      {[](HostCall& c) { c.ldc = 7; }, code, "ldc must be at least 8"},
      {[](HostCall& c) { c.transpose_a = Transpose::yes, c.lda = 3; }, code, "lda must be at least 4"},
      {[](HostCall& c) { c.transpose_b = Transpose::yes, c.ldb = 5; }, code, "ldb must be at least 6"},
      {[](HostCall& c) { c.layout = Layout::column_major, c.lda = 3; }, code, "a column of A"},
      {[](HostCall& c) { c.layout = Layout::column_major, c.ldb = 5; }, code, "a column of B"},
      {[](HostCall& c) { c.layout = Layout::column_major, c.ldc = 3; }, code, "a column of C"},
      {[](HostCall& c) { c.alpha = 0, c.lda = 0; }, code, "lda is 0"},
      {[](HostCall& c) { c.m = 0, c.ldc = 0; }, code, "ldc is 0"},
  });
}

TEST_CASE("invalid sizes, enumerators and pointers are refused") {
  constexpr ErrorCode code = ErrorCode::invalid_argument;
  check_host_cases({
      {[](HostCall& c) { c.m = minus_one; }, code, "m is -1"},
      {[](HostCall& c) { c.n = minus_one; }, code, "n is -1"},
      {[](HostCall& c) { c.k = minus_one; }, code, "k is -1"},
      {[](HostCall& c) { c.m = std::size_t{1} << 62; }, code, "too large"},
      {[](HostCall& c) { c.layout = static_cast<Layout>(7); }, code, "layout"},
      {[](HostCall& c) { c.transpose_a = static_cast<Transpose>(7); }, code, "transpose_a"},
      {[](HostCall& c) { c.transpose_b = static_cast<Transpose>(7); }, code, "transpose_b"},
      {[](HostCall& c) { c.a = nullptr; }, code, "a is null"},
      {[](HostCall& c) { c.b = nullptr; }, code, "b is null"},
      {[](HostCall& c) { c.c_is_null = true; }, code, "c is null"},
      {[](HostCall& c) { c.c_is_null = true, c.k = 0, c.lda = 1; }, code, "c is null"},
      {[](HostCall& c) {
         c.options.parameters = {{"TS", 16}};
       },
       code, "Options::parameters"},
  });
}

TEST_CASE("an Error says which argument it is about") {
  const auto argument_of = [](const std::function<void(HostCall&)>& spoil) {
    HostCall call;
    spoil(call);
    std::vector<float> c = random_elements(200, 3);
    try {
      call.run(c);
    } catch (const Error& error) {
      return error.argument();
    }
    return Argument::none;
  };
  CHECK(argument_of([](HostCall& c) { c.layout = static_cast<Layout>(7); }) == Argument::layout);
  CHECK(argument_of([](HostCall& c) { c.transpose_a = static_cast<Transpose>(7); }) == Argument::transpose_a);
  CHECK(argument_of([](HostCall& c) { c.transpose_b = static_cast<Transpose>(7); }) == Argument::transpose_b);
  CHECK(argument_of([](HostCall& c) { c.m = minus_one; }) == Argument::m);
  CHECK(argument_of([](HostCall& c) { c.n = minus_one; }) == Argument::n);
  CHECK(argument_of([](HostCall& c) { c.k = minus_one; }) == Argument::k);
  CHECK(argument_of([](HostCall& c) { c.a = nullptr; }) == Argument::a);
  CHECK(argument_of([](HostCall& c) { c.lda = 5; }) == Argument::lda);
  CHECK(argument_of([](HostCall& c) { c.b = nullptr; }) == Argument::b);
  CHECK(argument_of([](HostCall& c) { c.ldb = 7; }) == Argument::ldb);
  CHECK(argument_of([](HostCall& c) { c.c_is_null = true; }) == Argument::c);
  CHECK(argument_of([](HostCall& c) { c.ldc = 7; }) == Argument::ldc);
  CHECK(argument_of([](HostCall& c) { c.options.kernel = "nosuch"; }) == Argument::none);
}

TEST_CASE("kernels and parameters that do not exist are refused") {
  check_host_cases({
      {[](HostCall& c) { c.options.kernel = "nosuch"; }, ErrorCode::kernel_not_found, "'nosuch'"},
      {[](HostCall& c) { c.options.kernel = "nosuch"; }, ErrorCode::kernel_not_found, "float8"},
      {[](HostCall& c) { c.options.kernel = "./nosuch.cl"; }, ErrorCode::kernel_not_found, "./nosuch.cl"},
      {[](HostCall& c) { c.options.kernel = "scale"; }, ErrorCode::kernel_not_found, "'scale'"},
      {[](HostCall& c) { c.options.kernel = "pack_padded"; }, ErrorCode::kernel_not_found, "'pack_padded'"},
      {[](HostCall& c) { c.options.kernel_folder = "/nowhere"; }, ErrorCode::invalid_kernel_file, "/nowhere"},
      {[](HostCall& c) {
         c.options.kernel = "tiled", c.options.parameters = {{"TSX", 16}};
       },
       ErrorCode::invalid_parameter, "no parameter 'TSX'; it has TS, TSK"},
      {[](HostCall& c) {
         c.options.kernel = "tiled", c.options.parameters = {{"TS", 17}};
       },
       ErrorCode::invalid_parameter, "TS=17: TS must be one of 8 16 32"},
  });
}

TEST_CASE("scratch memory smaller than one tile") {
  check_host_cases({{[](HostCall& c) { c.options.kernel = "tiled", c.options.scratch_limit = 100; },
                     ErrorCode::out_of_memory, "the limit is 100"}});
}

// Returns the text of a kernel file whose kernel function has this `body`.
std::string kernel_text(const std::string& more_manifest, const std::string& local, const std::string& body) {
  return "// clgemm: mine\n// summary: s\n// operands: in_place\n// tile: 1 1 1\n// local: " + local +
         "\n// grid: columns rows\n" + more_manifest +
         "\n__kernel void gemm(const int m, const int n, const int k, const float alpha,\n"
         "  __global const float* a, const ulong a_offset, const ulong lda, const ulong a_stride,\n"
         "  __global const float* b, const ulong b_offset, const ulong ldb, const ulong b_stride, const "
         "float beta,\n"
         "  __global float* c, const ulong c_offset, const ulong ldc, const ulong c_stride) {" +
         body + "}\n";
}

TEST_CASE("kernel files that are wrong, or exceed the device's limits, are refused") {
  const TemporaryFolder folder;
  struct Case {
    std::string text;
    ErrorCode code;
    std::string part;
  };
  // Context remembers the files that it has read, so each case is a separate file.
  int number = 0;
  for (const Case& bad : std::vector<Case>{
           {"no manifest\n", ErrorCode::invalid_kernel_file, ":1:"},
           {"// clgemm: mine\n// tile: 1 1\n", ErrorCode::invalid_kernel_file, ":2:"},
           {kernel_text("// require: 1 == 2\n", "1 1", ""), ErrorCode::requirement_failed, ":7:"},
           {kernel_text("// require: 1 << 2\n", "1 1", ""), ErrorCode::invalid_kernel_file, ":7:"},
           {kernel_text("// require: 1000000000000 <= local_bytes\n", "1 1", ""),
            ErrorCode::requirement_failed, "local_bytes is"},
           {kernel_text("", "1048576 1", ""), ErrorCode::device_limit_exceeded, "1048576"},
           {kernel_text("", "1 1", " this is no C; "), ErrorCode::build_failed, ":11"},
           {"// clgemm: mine\n// summary: s\n// operands: nosuchform\n// tile: 16 16 16\n// local: 1 1\n"
            "// grid: columns rows\n",
            ErrorCode::kernel_not_found, "pack_nosuchform"}}) {
    const std::string file = folder.write(fmt::format("mine{}.cl", ++number), bad.text);
    INFO(bad.text);
    check_host_cases({{[&file](HostCall& call) { call.options.kernel = file; }, bad.code, bad.part}});
  }
}

// A valid call on device memory. A test makes one part of it invalid.
struct DeviceCall {
  std::size_t m = 4, n = 8, k = 6;
  cl::Buffer a_buffer = make_buffer(random_elements(24, 1));
  cl::Buffer b_buffer = make_buffer(random_elements(48, 2));
  cl::Buffer c_buffer = make_buffer(random_elements(32, 3));
  DeviceMatrix a{a_buffer(), 6}, b{b_buffer(), 8}, c{c_buffer(), 8};
  Layout layout = Layout::row_major;
  cl_command_queue queue = shared_context().queue();
  WaitList wait_for;
  cl_event done = nullptr;
  Options options;

  void run() {
    shared_context().sgemm(queue, layout, Transpose::no, Transpose::no, m, n, k, 1, a, b, 1, c, wait_for,
                           &done, options);
  }
};

void check_device_case(const std::function<void(DeviceCall&)>& spoil, ErrorCode code,
                       const std::string& part) {
  DeviceCall call;
  const std::vector<float> before = read_buffer(call.c_buffer);
  spoil(call);
  INFO("expected: " << part);
  const Thrown thrown = thrown_by([&] { call.run(); });
  INFO("said: " << thrown.text);
  CHECK(thrown.code == code);
  CHECK(contains(thrown.text, part));
  CHECK(call.done == nullptr);
  CHECK(same_bits(read_buffer(call.c_buffer), before));
}

TEST_CASE(
    "the device call that the other tests change is correct, with buffers that end with their matrices") {
  DeviceCall call;
  CHECK_NOTHROW(call.run());
  REQUIRE(call.done != nullptr);
  const cl::Event done(call.done);
  done.wait();
}

TEST_CASE("buffers that are too small") {
  constexpr ErrorCode code = ErrorCode::buffer_too_small;
  check_device_case([](DeviceCall& c) { c.a.offset = 1; }, code, "the buffer of A has 96 bytes");
  check_device_case([](DeviceCall& c) { c.b.offset = 1; }, code, "the buffer of B");
  check_device_case([](DeviceCall& c) { c.c.offset = 1; }, code, "the buffer of C");
  check_device_case([](DeviceCall& c) { c.a.ld = 7; }, code, "leading dimension 7");
  check_device_case([](DeviceCall& c) { c.b.ld = 9; }, code, "the buffer of B");
  check_device_case([](DeviceCall& c) { c.c.ld = 9; }, code, "the buffer of C");
  check_device_case([](DeviceCall& c) { c.a.offset = minus_one; }, code,
                    "the matrix ends beyond the end of any buffer");
  check_device_case([](DeviceCall& c) { c.c.offset = std::size_t{1} << 62; }, code, "the buffer of C");
  // In column-major calls, errors name the caller's A and B.
  check_device_case(
      [](DeviceCall& c) {
        c.layout = Layout::column_major, c.a.ld = 4, c.b.ld = 6, c.c.ld = 4, c.a.offset = 1;
      },
      code, "the buffer of A");
  check_device_case(
      [](DeviceCall& c) {
        c.layout = Layout::column_major, c.a.ld = 4, c.b.ld = 6, c.c.ld = 4, c.b.offset = 1;
      },
      code, "the buffer of B");
}

TEST_CASE("queues, buffers and events that are null") {
  constexpr ErrorCode code = ErrorCode::invalid_argument;
  check_device_case([](DeviceCall& c) { c.queue = nullptr; }, code, "queue is null");
  check_device_case([](DeviceCall& c) { c.a.buffer = nullptr; }, code, "the buffer of A is null");
  check_device_case([](DeviceCall& c) { c.b.buffer = nullptr; }, code, "the buffer of B is null");
  check_device_case([](DeviceCall& c) { c.c.buffer = nullptr; }, code, "the buffer of C is null");
  check_device_case([](DeviceCall& c) { c.wait_for = {nullptr}; }, code, "wait list");
  CHECK_ERROR(
      [] { sgemm(nullptr, Layout::row_major, Transpose::no, Transpose::no, 1, 1, 1, 1, {}, {}, 0, {}); },
      invalid_argument, "queue is null");
}

TEST_CASE("buffers whose flags forbid what the call does") {
  constexpr ErrorCode code = ErrorCode::invalid_argument;
  const cl::Buffer write_only(shared_cl_context(), CL_MEM_WRITE_ONLY, 4096);
  const cl::Buffer read_only(shared_cl_context(), CL_MEM_READ_ONLY, 4096);
  check_device_case([&](DeviceCall& c) { c.a.buffer = write_only(); }, code,
                    "the buffer of A was created with CL_MEM_WRITE_ONLY");
  check_device_case([&](DeviceCall& c) { c.b.buffer = write_only(); }, code,
                    "the buffer of B was created with CL_MEM_WRITE_ONLY");
  check_device_case([&](DeviceCall& c) { c.c.buffer = read_only(); }, code,
                    "the buffer of C was created with CL_MEM_READ_ONLY");
}

TEST_CASE("images and overlapping matrices are refused, but not matrices next to each other") {
  constexpr ErrorCode code = ErrorCode::invalid_argument;
  if (shared_device().getInfo<CL_DEVICE_IMAGE_SUPPORT>() == CL_TRUE) {
    const cl::Image2D image(shared_cl_context(), CL_MEM_READ_WRITE, cl::ImageFormat(CL_R, CL_FLOAT), 8, 8);
    check_device_case([&](DeviceCall& c) { c.b.buffer = image(); }, code, "B is not a buffer");
  }
  const cl::Buffer both = make_buffer(std::vector<float>(200));
  check_device_case([&](DeviceCall& c) { c.b.buffer = c.c.buffer = both(), c.c.offset = 47; }, code,
                    "C overlaps B");
  check_device_case([&](DeviceCall& c) { c.a.buffer = c.c.buffer = both(), c.c.offset = 23; }, code,
                    "C overlaps A");
  DeviceCall beside;
  beside.a.buffer = beside.b.buffer = beside.c.buffer = both();
  beside.b.offset = 24, beside.c.offset = 72;
  beside.run();
  const cl::Event done(beside.done);
  done.wait();

  std::vector<float> memory(1001);
  const cl::Buffer uneven(shared_cl_context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 1000 * sizeof(float),
                          memory.data() + 1);
  check_device_case([&](DeviceCall& c) { c.options.scratch = uneven(); }, code, "is not aligned to 64 bytes");
}

TEST_CASE("queues, buffers and events of another context") {
  constexpr ErrorCode code = ErrorCode::wrong_context;
  const cl::Context other(shared_device());
  const cl::CommandQueue queue(other, shared_device());
  const cl::Buffer buffer(other, CL_MEM_READ_WRITE, 4096);
  check_device_case([&](DeviceCall& c) { c.queue = queue(); }, code, "queue");
  check_device_case([&](DeviceCall& c) { c.a.buffer = buffer(); }, code, "the buffer of A");
  check_device_case([&](DeviceCall& c) { c.b.buffer = buffer(); }, code, "the buffer of B");
  check_device_case([&](DeviceCall& c) { c.c.buffer = buffer(); }, code, "the buffer of C");
}

TEST_CASE("an event of another context") {
  const cl::Context other(shared_device());
  cl::UserEvent event(other);
  // On a separate queue, and set at the end, because a driver that accepts such an event makes the queue wait
  // for it.
  const cl::CommandQueue queue = make_queue(false);
  DeviceCall call;
  call.queue = queue();
  call.wait_for = {event()};
  ErrorCode code = ErrorCode::internal_error;
  try {
    call.run();
    UNSCOPED_INFO("no Error was thrown");
  } catch (const Error& error) {
    UNSCOPED_INFO(error.what());
    code = error.code();
  }
  event.setStatus(CL_COMPLETE);
  queue.finish();
  if (call.done != nullptr) clReleaseEvent(call.done);
  CHECK(code == ErrorCode::wrong_context);
}

TEST_CASE("leading dimensions and kernels of a device call") {
  check_device_case([](DeviceCall& c) { c.a.ld = 0; }, ErrorCode::invalid_leading_dimension, "lda is 0");
  check_device_case([](DeviceCall& c) { c.c.ld = 7; }, ErrorCode::invalid_leading_dimension, "ldc is 7");
  check_device_case([](DeviceCall& c) { c.options.kernel = "nosuch"; }, ErrorCode::kernel_not_found,
                    "'nosuch'");
  check_device_case([](DeviceCall& c) { c.options.kernel = "tiled", c.options.scratch_limit = 100; },
                    ErrorCode::out_of_memory, "the limit is 100");
}

// GEMM 0 uses no kernel, because its alpha is 0. float8 packs only the operands of the last GEMM if these are
// not aligned.
TEST_CASE("if the options do not suit every GEMM of a list, nothing is enqueued") {
  constexpr std::size_t side = 64;
  constexpr std::size_t size = side * side;
  const std::vector<float> before = random_elements(4 * size, 3);
  const cl::Buffer a = make_buffer(random_elements(4 * size, 1));
  const cl::Buffer b = make_buffer(random_elements(4 * size, 2));
  const cl::Buffer c = make_buffer(before);
  const auto call = [&](const std::vector<float>& alphas, std::size_t last, const Options& options) {
    const auto at = [&](const cl::Buffer& buffer, std::size_t of_last) {
      return std::vector<DeviceMatrix>{{buffer, side}, {buffer, side, size}, {buffer, side, of_last}};
    };
    cl_event done = nullptr;
    const Thrown thrown = thrown_by([&] {
      shared_context().sgemm_batched(shared_queue()(), Layout::row_major, Transpose::no, Transpose::no, side,
                                     side, side, alphas, at(a, last), at(b, last), {2.0f}, at(c, 3 * size),
                                     {}, &done, options);
    });
    CHECK(done == nullptr);
    CHECK(same_bits(read_buffer(c), before));
    return thrown.code;
  };
  Options options;
  options.parameters = {{"TS", 16}};
  CHECK(call({0, 1, 1}, 3 * size, options) == ErrorCode::invalid_argument);
  options = {};
  options.kernel = "nosuch";
  CHECK(call({0, 1, 1}, 3 * size, options) == ErrorCode::kernel_not_found);
  options.kernel = "float8";
  options.scratch_limit = 100;
  CHECK(call({1, 1, 1}, 2 * size + 1, options) == ErrorCode::out_of_memory);
}

TEST_CASE("a call after a failed one works") {
  std::vector<float> c = random_elements(200, 3);
  HostCall bad;
  bad.options.kernel = "nosuch";
  thrown_by([&] { bad.run(c); });
  const GemmCase gemm = make_gemm_case(all_forms()[0], {33, 35, 37}, {1, 1}, all_placements()[1]);
  check_on_device(gemm, random_data(gemm, 1), {});
}

}  // namespace
}  // namespace clgemm
