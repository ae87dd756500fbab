// A program written for CLBlast, without any knowledge of clgemm. CTest runs it with CLBlast alone, with
// libclgemm_clblast in front by LD_PRELOAD, and linked with that library before CLBlast. Its results, and the
// statuses of its wrong calls, are the same in all cases.
#include "clblast/program.hpp"

#include <clblast_c.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace clblast_test;
using clblast::Layout;
using clblast::StatusCode;
using clblast::Transpose;

// Returns CLBlast's own function of this name, even if another library is in front of it.
template <class Function>
Function* of_clblast(Function* named) {
  Dl_info info = {};
  static void* const library = dlopen("libclblast.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr || dladdr(reinterpret_cast<void*>(named), &info) == 0 || info.dli_sname == nullptr) {
    std::fprintf(stderr, "user_test.cpp: CLBlast is not to be found\n");
    std::exit(EXIT_FAILURE);
  }
  return reinterpret_cast<Function*>(dlsym(library, info.dli_sname));
}

void wait_for(cl_event event, const std::string& what) {
  check(event != nullptr, what + " gives an event");
  if (event == nullptr) return;
  clWaitForEvents(1, &event);
  cl_int status = -1;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  check(status == CL_COMPLETE, what + ": the event completes");
  clReleaseEvent(event);
}

// Small integers, so that results are exact.
constexpr std::size_t m = 19;
constexpr std::size_t n = 23;
constexpr std::size_t k = 29;
constexpr float gap = -77.0f;

float value_of(std::size_t matrix, std::size_t row, std::size_t column) {
  return static_cast<float>((row * 3 + column * 2 + matrix) % 7) - 3.0f;
}

// The location of a matrix's elements.
struct Place {
  Layout layout;
  Transpose transpose;
  std::size_t rows, columns;  // those of op(X)
  std::size_t offset, ld;

  std::size_t at(std::size_t row, std::size_t column) const {
    const bool lines_are_rows = (layout == Layout::kRowMajor) == (transpose == Transpose::kNo);
    return offset + (lines_are_rows ? row * ld + column : column * ld + row);
  }
  std::size_t line() const {
    return (layout == Layout::kRowMajor) == (transpose == Transpose::kNo) ? columns : rows;
  }
  std::size_t lines() const { return rows * columns / line(); }
};

Place place(Layout layout, Transpose transpose, std::size_t rows, std::size_t columns, std::size_t offset) {
  Place result{layout, transpose, rows, columns, offset, 0};
  result.ld = result.line() + 3;
  return result;
}

void store(std::vector<float>& memory, const Place& at, std::size_t matrix) {
  const std::size_t end = at.offset + at.lines() * at.ld;
  if (memory.size() < end) memory.resize(end, gap);
  for (std::size_t row = 0; row < at.rows; ++row)
    for (std::size_t column = 0; column < at.columns; ++column)
      memory[at.at(row, column)] = value_of(matrix, row, column);
}

void multiply(std::vector<float>& c, const Place& of_c, std::size_t matrix_a, std::size_t matrix_b,
              float alpha, float beta) {
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      float sum = 0.0f;
      for (std::size_t i = 0; i < k; ++i) sum += value_of(matrix_a, row, i) * value_of(matrix_b, i, column);
      float& element = c[of_c.at(row, column)];
      element = alpha * sum + (beta == 0.0f ? 0.0f : beta * element);
    }
  }
}

struct Form {
  Layout layout;
  Transpose transpose_a, transpose_b;
};

std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for (const Layout layout : {Layout::kRowMajor, Layout::kColMajor})
    for (const Transpose a : {Transpose::kNo, Transpose::kYes, Transpose::kConjugate})
      for (const Transpose b : {Transpose::kNo, Transpose::kYes}) forms.push_back({layout, a, b});
  return forms;
}

std::string name_of(const Form& form) {
  return std::to_string(static_cast<int>(form.layout)) + " " +
         std::to_string(static_cast<int>(form.transpose_a)) + " " +
         std::to_string(static_cast<int>(form.transpose_b));
}

// Calls it by the names in C++ and in C.
void test_one(const Form& form) {
  const Place a = place(form.layout, form.transpose_a, m, k, 5);
  const Place b = place(form.layout, form.transpose_b, k, n, 0);
  const Place c = place(form.layout, Transpose::kNo, m, n, 7);
  std::vector<float> in_a(5, gap), in_b, in_c(7, gap);
  store(in_a, a, 1);
  store(in_b, b, 2);
  store(in_c, c, 3);
  std::vector<float> expected = in_c;
  multiply(expected, c, 1, 2, 2.0f, 3.0f);
  const Buffer buffer_a(in_a), buffer_b(in_b), first_c(in_c), second_c(in_c);
  cl_command_queue queue = opencl().queue;
  cl_event event = nullptr;
  check_status(
      clblast::Gemm(form.layout, form.transpose_a, form.transpose_b, m, n, k, 2.0f, buffer_a, a.offset, a.ld,
                    buffer_b, b.offset, b.ld, 3.0f, first_c, c.offset, c.ld, &queue, &event),
      StatusCode::kSuccess, "Gemm");
  wait_for(event, "Gemm");
  check(first_c.read(in_c.size()) == expected, "the result of Gemm, " + name_of(form));
  const auto status =
      CLBlastSgemm(static_cast<CLBlastLayout>(form.layout), static_cast<CLBlastTranspose>(form.transpose_a),
                   static_cast<CLBlastTranspose>(form.transpose_b), m, n, k, 2.0f, buffer_a, a.offset, a.ld,
                   buffer_b, b.offset, b.ld, 3.0f, second_c, c.offset, c.ld, &queue, nullptr);
  check(status == CLBlastSuccess, "CLBlastSgemm");
  check(second_c.read(in_c.size()) == expected, "the result of CLBlastSgemm, " + name_of(form));
}

// Uses matrices at irregular distances, each with its own alpha and beta, and then at a constant distance.
void test_batches(const Form& form) {
  constexpr std::size_t count = 5;
  const std::vector<float> alphas = {1.0f, 2.0f, -1.0f, 0.0f, 3.0f};
  const std::vector<float> betas = {0.0f, 1.0f, 2.0f, -1.0f, 0.0f};
  std::vector<std::size_t> offsets_a, offsets_b, offsets_c;
  std::vector<float> in_a, in_b, in_c;
  const auto add = [](std::vector<float>& memory, std::vector<std::size_t>& offsets, Place at,
                      std::size_t matrix) {
    at.offset = memory.size() + matrix % 3;
    offsets.push_back(at.offset);
    memory.resize(at.offset, gap);
    store(memory, at, matrix);
  };
  const Place a = place(form.layout, form.transpose_a, m, k, 0);
  const Place b = place(form.layout, form.transpose_b, k, n, 0);
  const Place c = place(form.layout, Transpose::kNo, m, n, 0);
  for (std::size_t i = 0; i < count; ++i) {
    add(in_a, offsets_a, a, i);
    add(in_b, offsets_b, b, i + 1);
    add(in_c, offsets_c, c, i + 2);
  }
  std::vector<float> expected = in_c;
  for (std::size_t i = 0; i < count; ++i) {
    Place of_c = c;
    of_c.offset = offsets_c[i];
    multiply(expected, of_c, i, i + 1, alphas[i], betas[i]);
  }
  const Buffer buffer_a(in_a), buffer_b(in_b), first_c(in_c), second_c(in_c);
  cl_command_queue queue = opencl().queue;
  cl_event event = nullptr;
  check_status(clblast::GemmBatched(form.layout, form.transpose_a, form.transpose_b, m, n, k, alphas.data(),
                                    buffer_a, offsets_a.data(), a.ld, buffer_b, offsets_b.data(), b.ld,
                                    betas.data(), first_c, offsets_c.data(), c.ld, count, &queue, &event),
               StatusCode::kSuccess, "GemmBatched");
  wait_for(event, "GemmBatched");
  check(first_c.read(in_c.size()) == expected, "the result of GemmBatched, " + name_of(form));
  check(CLBlastSgemmBatched(static_cast<CLBlastLayout>(form.layout),
                            static_cast<CLBlastTranspose>(form.transpose_a),
                            static_cast<CLBlastTranspose>(form.transpose_b), m, n, k, alphas.data(), buffer_a,
                            offsets_a.data(), a.ld, buffer_b, offsets_b.data(), b.ld, betas.data(), second_c,
                            offsets_c.data(), c.ld, count, &queue, nullptr) == CLBlastSuccess,
        "CLBlastSgemmBatched");
  check(second_c.read(in_c.size()) == expected, "the result of CLBlastSgemmBatched, " + name_of(form));

  const std::size_t stride = 32 * 32;  // more than any of the three needs
  std::vector<float> even_a, even_b, even_c;
  for (std::size_t i = 0; i < count; ++i) {
    const auto moved = [&](Place at) {
      at.offset = i * stride;
      return at;
    };
    store(even_a, moved(a), i);
    store(even_b, moved(b), i + 1);
    store(even_c, moved(c), i + 2);
  }
  expected = even_c;
  for (std::size_t i = 0; i < count; ++i) {
    Place of_c = c;
    of_c.offset = i * stride;
    multiply(expected, of_c, i, i + 1, 2.0f, 1.0f);
  }
  const Buffer memory_a(even_a), memory_b(even_b), third_c(even_c), fourth_c(even_c);
  event = nullptr;
  check_status(clblast::GemmStridedBatched(form.layout, form.transpose_a, form.transpose_b, m, n, k, 2.0f,
                                           memory_a, 0, a.ld, stride, memory_b, 0, b.ld, stride, 1.0f,
                                           third_c, 0, c.ld, stride, count, &queue, &event),
               StatusCode::kSuccess, "GemmStridedBatched");
  wait_for(event, "GemmStridedBatched");
  check(third_c.read(even_c.size()) == expected, "the result of GemmStridedBatched, " + name_of(form));
  check(CLBlastSgemmStridedBatched(static_cast<CLBlastLayout>(form.layout),
                                   static_cast<CLBlastTranspose>(form.transpose_a),
                                   static_cast<CLBlastTranspose>(form.transpose_b), m, n, k, 2.0f, memory_a,
                                   0, a.ld, stride, memory_b, 0, b.ld, stride, 1.0f, fourth_c, 0, c.ld,
                                   stride, count, &queue, nullptr) == CLBlastSuccess,
        "CLBlastSgemmStridedBatched");
  check(fourth_c.read(even_c.size()) == expected,
        "the result of CLBlastSgemmStridedBatched, " + name_of(form));
}

// The arguments of a call, which are valid by default: row-major, 4 x 6 by 6 x 5.
struct Call {
  Layout layout = Layout::kRowMajor;
  Transpose transpose_a = Transpose::kNo, transpose_b = Transpose::kNo;
  std::size_t rows = 4, columns = 5, depth = 6;
  cl_mem a, b, c;
  std::size_t offset_a = 0, lda = 6, offset_b = 0, ldb = 5, offset_c = 0, ldc = 5;
  std::size_t stride_a = 24, stride_b = 30, stride_c = 20, batch_count = 2;
};

template <class Gemm>
StatusCode run(Gemm* gemm, const Call& call) {
  cl_command_queue queue = opencl().queue;
  return gemm(call.layout, call.transpose_a, call.transpose_b, call.rows, call.columns, call.depth, 1.0f,
              call.a, call.offset_a, call.lda, call.b, call.offset_b, call.ldb, 0.0f, call.c, call.offset_c,
              call.ldc, &queue, nullptr, nullptr);
}

template <class Gemm>
StatusCode run_batch(Gemm* gemm, const Call& call) {
  cl_command_queue queue = opencl().queue;
  const std::vector<float> factors(2, 1.0f);
  const auto two = [](std::size_t offset, std::size_t stride) {
    return std::vector<std::size_t>{offset + stride, offset};
  };
  const auto a = two(call.offset_a, call.stride_a), b = two(call.offset_b, call.stride_b),
             c = two(call.offset_c, call.stride_c);
  return gemm(call.layout, call.transpose_a, call.transpose_b, call.rows, call.columns, call.depth,
              factors.data(), call.a, a.data(), call.lda, call.b, b.data(), call.ldb, factors.data(), call.c,
              c.data(), call.ldc, call.batch_count, &queue, nullptr);
}

template <class Gemm>
StatusCode run_strided(Gemm* gemm, const Call& call) {
  cl_command_queue queue = opencl().queue;
  return gemm(call.layout, call.transpose_a, call.transpose_b, call.rows, call.columns, call.depth, 1.0f,
              call.a, call.offset_a, call.lda, call.stride_a, call.b, call.offset_b, call.ldb, call.stride_b,
              0.0f, call.c, call.offset_c, call.ldc, call.stride_c, call.batch_count, &queue, nullptr);
}

// Makes each wrong call by the name that programs use, and with CLBlast's own function.
void test_wrong_calls() {
  const Buffer a(1000 * sizeof(float)), b(1000 * sizeof(float)), c(1000 * sizeof(float));
  const Buffer small_a(23 * sizeof(float)), small_b(29 * sizeof(float)), small_c(19 * sizeof(float));
  Call right;
  right.a = a;
  right.b = b;
  right.c = c;
  struct Wrong {
    const char* what;
    void (*change)(Call& call);
    cl_mem a, b, c;  // if not null, used instead of the right ones
  };
  const std::vector<Wrong> table = {
      {"nothing", [](Call&) {}, nullptr, nullptr, nullptr},
      {"m", [](Call& call) { call.rows = 0; }, nullptr, nullptr, nullptr},
      {"n", [](Call& call) { call.columns = 0; }, nullptr, nullptr, nullptr},
      {"k", [](Call& call) { call.depth = 0; }, nullptr, nullptr, nullptr},
      {"k, and no A", [](Call& call) { call.depth = 0, call.a = nullptr; }, nullptr, nullptr, nullptr},
      {"lda", [](Call& call) { call.lda = 5; }, nullptr, nullptr, nullptr},
      {"lda of a transposed A", [](Call& call) { call.transpose_a = Transpose::kYes, call.lda = 3; }, nullptr,
       nullptr, nullptr},
      {"lda, column-major", [](Call& call) { call.layout = Layout::kColMajor, call.lda = 3, call.ldb = 6; },
       nullptr, nullptr, nullptr},
      {"ldb", [](Call& call) { call.ldb = 4; }, nullptr, nullptr, nullptr},
      {"ldb of a transposed B", [](Call& call) { call.transpose_b = Transpose::kYes; }, nullptr, nullptr,
       nullptr},
      {"ldb of a conjugate B", [](Call& call) { call.transpose_b = Transpose::kConjugate; }, nullptr, nullptr,
       nullptr},
      {"ldc", [](Call& call) { call.ldc = 4; }, nullptr, nullptr, nullptr},
      {"ldc, column-major", [](Call& call) { call.layout = Layout::kColMajor, call.ldb = 6, call.ldc = 3; },
       nullptr, nullptr, nullptr},
      {"all three leading dimensions", [](Call& call) { call.lda = call.ldb = call.ldc = 0; }, nullptr,
       nullptr, nullptr},
      {"ldb, and no A", [](Call& call) { call.ldb = 4, call.a = nullptr; }, nullptr, nullptr, nullptr},
      {"lda, and no A", [](Call& call) { call.lda = 4, call.a = nullptr; }, nullptr, nullptr, nullptr},
      {"no A", [](Call& call) { call.a = nullptr; }, nullptr, nullptr, nullptr},
      {"no B", [](Call& call) { call.b = nullptr; }, nullptr, nullptr, nullptr},
      {"no C", [](Call& call) { call.c = nullptr; }, nullptr, nullptr, nullptr},
      {"no B, no C", [](Call& call) { call.b = call.c = nullptr; }, nullptr, nullptr, nullptr},
      {"a small A", [](Call&) {}, small_a, nullptr, nullptr},
      {"a small B", [](Call&) {}, nullptr, small_b, nullptr},
      {"a small C", [](Call&) {}, nullptr, nullptr, small_c},
      {"a small A and ldb", [](Call& call) { call.ldb = 1; }, small_a, nullptr, nullptr},
      {"a small B and ldc", [](Call& call) { call.ldc = 1; }, nullptr, small_b, nullptr},
      {"the offset of A", [](Call& call) { call.offset_a = 977; }, nullptr, nullptr, nullptr},
      {"the offset of B", [](Call& call) { call.offset_b = 971; }, nullptr, nullptr, nullptr},
      {"the offset of C", [](Call& call) { call.offset_c = 981; }, nullptr, nullptr, nullptr},
      {"offset and leading dimension of A exchanged", [](Call& call) { call.offset_a = 6, call.lda = 0; },
       nullptr, nullptr, nullptr},
      {"a large lda", [](Call& call) { call.lda = 400; }, nullptr, nullptr, nullptr},
      {"an empty batch", [](Call& call) { call.batch_count = 0; }, nullptr, nullptr, nullptr},
      {"an empty batch without k", [](Call& call) { call.batch_count = 0, call.depth = 0; }, nullptr, nullptr,
       nullptr},
      {"all of a batch into one C, and k", [](Call& call) { call.stride_c = 0, call.depth = 0; }, nullptr,
       nullptr, nullptr},
      {"the stride of A", [](Call& call) { call.stride_a = 977; }, nullptr, nullptr, nullptr},
      {"the stride of B", [](Call& call) { call.stride_b = 971; }, nullptr, nullptr, nullptr},
      {"the stride of C", [](Call& call) { call.stride_c = 981; }, nullptr, nullptr, nullptr},
      {"a stride of 0 for A and B", [](Call& call) { call.stride_a = call.stride_b = 0; }, nullptr, nullptr,
       nullptr},
  };
  int wrong = 0;
  const auto compare = [&](const char* function, const Wrong& row, StatusCode ours, StatusCode theirs) {
    check_status(ours, theirs, std::string(function) + ", wrong is " + row.what);
    if (theirs != StatusCode::kSuccess) ++wrong;
  };
  for (const Wrong& row : table) {
    Call call = right;
    if (row.a != nullptr) call.a = row.a;
    if (row.b != nullptr) call.b = row.b;
    if (row.c != nullptr) call.c = row.c;
    row.change(call);
    auto* const gemm = &clblast::Gemm<float>;
    compare("Gemm", row, run(gemm, call), run(of_clblast(gemm), call));
    auto* const batched = &clblast::GemmBatched<float>;
    compare("GemmBatched", row, run_batch(batched, call), run_batch(of_clblast(batched), call));
    auto* const strided = &clblast::GemmStridedBatched<float>;
    compare("GemmStridedBatched", row, run_strided(strided, call), run_strided(of_clblast(strided), call));
  }
  Call call = right;
  call.stride_c = 0;
  auto* const strided = &clblast::GemmStridedBatched<float>;
  check_status(run_strided(strided, call), StatusCode::kInvalidDimension,
               "all of a strided batch into one C");

  cl_command_queue none = nullptr;
  check_status(clblast::Gemm(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, 0, 0, 0, 1.0f, a, 0, 0, b, 0,
                             0, 1.0f, c, 0, 0, &none),
               StatusCode::kInvalidCommandQueue, "no queue");
  std::printf("user_test.cpp: %d wrong calls have CLBlast's statuses\n", wrong);
}

// Uses a temporary buffer of the requested size, and a smaller one.
void test_temporary_buffers() {
  constexpr std::size_t side = 500;
  cl_command_queue queue = opencl().queue;
  const std::vector<float> ones(side * side, 1.0f);
  const Buffer a(ones), b(ones), c(ones);
  std::size_t bytes = 99;
  check_status(clblast::GemmTempBufferSize<float>(Layout::kRowMajor, Transpose::kYes, Transpose::kNo, side,
                                                  side, side, 0, side, 0, side, 0, side, &queue, bytes),
               StatusCode::kSuccess, "GemmTempBufferSize");
  std::size_t in_c = 98;
  check(CLBlastSGemmTempBufferSize(CLBlastLayoutRowMajor, CLBlastTransposeYes, CLBlastTransposeNo, side, side,
                                   side, 0, side, 0, side, 0, side, &queue, &in_c) == CLBlastSuccess &&
            in_c == bytes,
        "CLBlastSGemmTempBufferSize says the same");
  std::printf("user_test.cpp: %zu bytes of temporary memory\n", bytes);
  const auto with = [&](std::size_t size) {
    const Buffer temporary(size);
    return CLBlastSgemmWithTempBuffer(CLBlastLayoutRowMajor, CLBlastTransposeYes, CLBlastTransposeNo, side,
                                      side, side, 1.0f, a, 0, side, b, 0, side, 0.0f, c, 0, side, &queue,
                                      nullptr, temporary);
  };
  check(with(bytes + 16) == CLBlastSuccess, "CLBlastSgemmWithTempBuffer");
  check(c.read(side * side) == std::vector<float>(side * side, side), "the result with a temporary buffer");
  if (bytes > 4) check(with(bytes - 4) == CLBlastInsufficientMemoryTemp, "a temporary buffer is too small");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{3}}) {  // not an error, even with leading dimensions of 0
    check_status(clblast::GemmTempBufferSize<float>(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, size,
                                                    size, size, 0, 0, 0, 0, 0, 0, &queue, bytes),
                 StatusCode::kSuccess, "GemmTempBufferSize of a small GEMM");
  }
}

// Makes calls that CLBlast supports and clgemm does not.
void test_passed_on() {
  cl_command_queue queue = opencl().queue;
  const Buffer both(std::vector<float>(16, 1.0f)), c(std::vector<float>(64, 0.0f));
  check_status(clblast::Gemm(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, 4, 4, 4, 1.0f, both, 0, 4,
                             both, 0, 4, 0.0f, both, 0, 4, &queue),
               StatusCode::kSuccess, "C in the place of A");
  const std::vector<std::size_t> offsets = {0, 16};
  const std::vector<float> factors = {1.0f, 1.0f};
  const Buffer a(std::vector<float>(64, 1.0f));
  check_status(clblast::GemmBatched(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, 4, 4, 4,
                                    factors.data(), a, offsets.data(), 1, a, offsets.data(), 4,
                                    factors.data(), c, offsets.data(), 4, 2, &queue),
               StatusCode::kSuccess, "rows of A that overlap");
  check(c.read(32) == std::vector<float>(32, 4.0f), "the result of rows that overlap");
}

// Uses routines and precisions that only CLBlast has, and its caches.
void test_the_rest() {
  cl_command_queue queue = opencl().queue;
  const Buffer x(std::vector<float>(8, 1.0f)), y(std::vector<float>(8, 2.0f));
  check_status(clblast::Axpy(8, 3.0f, x, 0, 1, y, 0, 1, &queue), StatusCode::kSuccess, "Axpy");
  check(y.read(8) == std::vector<float>(8, 5.0f), "the result of Axpy");
  check_status(clblast::Gemm(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, 1, 1, 1, 1.0, x, 0, 1, x, 0,
                             1, 0.0, y, 0, 1, &queue),
               StatusCode::kSuccess, "Gemm of doubles");

  check_status(clblast::OverrideParameters(opencl().device, "GemmRoutine", clblast::Precision::kSingle,
                                           {{"XGEMM_MIN_INDIRECT_SIZE", 1000}}),
               StatusCode::kSuccess, "OverrideParameters");
  check_status(clblast::OverrideParameters(opencl().device, "GemmRoutine", clblast::Precision::kSingle, {}),
               StatusCode::kMissingOverrideParameter, "OverrideParameters without one");
  const char* name = "XGEMM_MIN_INDIRECT_SIZE";
  const std::size_t value = 1000;
  check(CLBlastOverrideParameters(opencl().device, "GemmRoutine", CLBlastPrecisionSingle, 1, &name, &value) ==
            CLBlastSuccess,
        "CLBlastOverrideParameters");
  check_status(clblast::ClearCache(), StatusCode::kSuccess, "ClearCache");
  check(CLBlastClearCache() == CLBlastSuccess, "CLBlastClearCache");
  test_one({Layout::kRowMajor, Transpose::kNo, Transpose::kNo});
}

}  // namespace

int main() {
  for (const Form& form : all_forms()) {
    test_one(form);
    test_batches(form);
  }
  test_wrong_calls();
  test_temporary_buffers();
  test_passed_on();
  test_the_rest();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
