// The names of CLBlast in C++. Start reading here: each function makes the checks of CLBlast (checks.hpp) and
// calls clgemm.
//
// clgemm refuses some calls that CLBlast takes, before it has done anything: if C overlaps A, for example.
// These go to the real CLBlast if the process has it.
#include <clblast.h>

#include <algorithm>
#include <clgemm/clgemm.hpp>
#include <vector>

#include "clblast/checks.hpp"
#include "clblast/real_clblast.hpp"
#include "clblast/status.hpp"
#include "clblast/summary.hpp"

namespace {

using clblast::StatusCode;
using namespace clgemm::clblast_names;

clgemm::Layout to_clgemm(clblast::Layout layout) {
  return layout == clblast::Layout::kRowMajor ? clgemm::Layout::row_major : clgemm::Layout::column_major;
}

// Treats a conjugate transpose as a transpose, because the matrices are real.
clgemm::Transpose to_clgemm(clblast::Transpose transpose) {
  return transpose == clblast::Transpose::kNo ? clgemm::Transpose::no : clgemm::Transpose::yes;
}

// Runs `call`. If clgemm refuses an argument, `pass_on` calls the real function instead.
template <class Function, class Call, class PassOn>
StatusCode multiply(Function* own, std::size_t gemms, Call&& call, PassOn&& pass_on) {
  try {
    call();
    count_call(gemms);
    return StatusCode::kSuccess;
  } catch (const clgemm::Error& error) {
    Function* const theirs = error.argument() == clgemm::Argument::none ? nullptr : real(own);
    if (theirs == nullptr) return status_of(error);
    count_passed_on(error.what());
    return pass_on(theirs);
  } catch (...) {
    return status_of_current_exception();
  }
}

// In CLBlast's GemmTempBufferSize, leading dimensions that are too small are not an error. 0 stands for the
// smallest one.
std::size_t at_least(std::size_t ld, const Extent& extent) {
  return ld < extent.one ? 0 : ld;
}

std::size_t temporary_bytes(const Form& form, const Last& a, const Last& b, std::size_t ldc,
                            cl_command_queue queue) {
  if (form.m == 0 || form.n == 0 || form.k == 0) return 0;
  clgemm::SgemmShape shape;
  shape.layout = to_clgemm(form.layout);
  shape.transpose_a = to_clgemm(form.transpose_a);
  shape.transpose_b = to_clgemm(form.transpose_b);
  shape.m = form.m;
  shape.n = form.n;
  shape.k = form.k;
  shape.lda = at_least(a.ld, extent_of_a(form));
  shape.ldb = at_least(b.ld, extent_of_b(form));
  shape.ldc = at_least(ldc, extent_of_c(form));
  shape.offset_a = a.offset;
  shape.offset_b = b.offset;
  return clgemm::context_for(queue)->sgemm_scratch_bytes(shape);
}

// The use of the caller's temporary buffer. CLBlast requires it to be as large as the result of
// GemmTempBufferSize, even if the call needs less.
struct Temporary {
  StatusCode status = StatusCode::kSuccess;
  clgemm::Options options;
};

Temporary check_temporary(const Form& form, const Last& a, const Last& b, std::size_t ldc,
                          cl_command_queue queue, cl_mem buffer) {
  Temporary result;
  if (buffer == nullptr) return result;
  try {
    const std::size_t needed_bytes = temporary_bytes(form, a, b, ldc, queue);
    if (needed_bytes == 0) return result;
    std::size_t bytes = 0;
    if (clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr) != CL_SUCCESS) {
      result.status = StatusCode::kInvalidMemObject;
    } else if (bytes < needed_bytes) {
      result.status = StatusCode::kInsufficientMemoryTemp;
    }
    result.options.scratch = buffer;
  } catch (...) {
    result.status = status_of_current_exception();
  }
  return result;
}

}  // namespace

namespace clblast {

template <>
StatusCode Gemm(const Layout layout, const Transpose transpose_a, const Transpose transpose_b, const size_t m,
                const size_t n, const size_t k, const float alpha, const cl_mem a, const size_t offset_a,
                const size_t lda, const cl_mem b, const size_t offset_b, const size_t ldb, const float beta,
                cl_mem c, const size_t offset_c, const size_t ldc, cl_command_queue* queue, cl_event* event,
                cl_mem temporary) {
  if (const auto status = check_queue(queue); status != StatusCode::kSuccess) return status;
  const Form form{layout, transpose_a, transpose_b, m, n, k};
  const Last of_a{a, lda, offset_a};
  const Last of_b{b, ldb, offset_b};
  if (const auto status = check_gemm(form, of_a, of_b, {c, ldc, offset_c}); status != StatusCode::kSuccess)
    return status;
  const Temporary memory = check_temporary(form, of_a, of_b, ldc, *queue, temporary);
  if (memory.status != StatusCode::kSuccess) return memory.status;
  const auto call = [&] {
    clgemm::sgemm(*queue, to_clgemm(layout), to_clgemm(transpose_a), to_clgemm(transpose_b), m, n, k, alpha,
                  {a, lda, offset_a}, {b, ldb, offset_b}, beta, {c, ldc, offset_c}, {}, event,
                  memory.options);
  };
  const auto pass_on = [&](auto* theirs) {
    return theirs(layout, transpose_a, transpose_b, m, n, k, alpha, a, offset_a, lda, b, offset_b, ldb, beta,
                  c, offset_c, ldc, queue, event,
                  nullptr);  // the temporary buffer has the size that clgemm needs
  };
  return multiply(&Gemm<float>, 1, call, pass_on);
}

template <>
StatusCode GemmBatched(const Layout layout, const Transpose transpose_a, const Transpose transpose_b,
                       const size_t m, const size_t n, const size_t k, const float* alphas, const cl_mem a,
                       const size_t* offsets_a, const size_t lda, const cl_mem b, const size_t* offsets_b,
                       const size_t ldb, const float* betas, cl_mem c, const size_t* offsets_c,
                       const size_t ldc, const size_t batch_count, cl_command_queue* queue, cl_event* event) {
  if (const auto status = check_queue(queue); status != StatusCode::kSuccess) return status;
  if (batch_count < 1) return StatusCode::kInvalidBatchCount;
  const auto largest = [&](const size_t* offsets) {
    return *std::max_element(offsets, offsets + batch_count);
  };
  const auto status =
      check_gemm({layout, transpose_a, transpose_b, m, n, k}, {a, lda, largest(offsets_a)},
                 {b, ldb, largest(offsets_b)}, {c, ldc, largest(offsets_c)}, RowsOfAAndB::may_overlap);
  if (status != StatusCode::kSuccess) return status;
  const auto call = [&] {
    const auto matrices = [&](cl_mem buffer, size_t ld, const size_t* offsets) {
      std::vector<clgemm::DeviceMatrix> result;
      result.reserve(batch_count);
      for (size_t i = 0; i < batch_count; ++i) result.push_back({buffer, ld, offsets[i]});
      return result;
    };
    clgemm::context_for(*queue)->sgemm_batched(
        *queue, to_clgemm(layout), to_clgemm(transpose_a), to_clgemm(transpose_b), m, n, k,
        std::vector<float>(alphas, alphas + batch_count), matrices(a, lda, offsets_a),
        matrices(b, ldb, offsets_b), std::vector<float>(betas, betas + batch_count),
        matrices(c, ldc, offsets_c), {}, event);
  };
  const auto pass_on = [&](auto* theirs) {
    return theirs(layout, transpose_a, transpose_b, m, n, k, alphas, a, offsets_a, lda, b, offsets_b, ldb,
                  betas, c, offsets_c, ldc, batch_count, queue, event);
  };
  return multiply(&GemmBatched<float>, batch_count, call, pass_on);
}

template <>
StatusCode GemmStridedBatched(const Layout layout, const Transpose transpose_a, const Transpose transpose_b,
                              const size_t m, const size_t n, const size_t k, const float alpha,
                              const cl_mem a, const size_t offset_a, const size_t lda, const size_t stride_a,
                              const cl_mem b, const size_t offset_b, const size_t ldb, const size_t stride_b,
                              const float beta, cl_mem c, const size_t offset_c, const size_t ldc,
                              const size_t stride_c, const size_t batch_count, cl_command_queue* queue,
                              cl_event* event) {
  if (const auto status = check_queue(queue); status != StatusCode::kSuccess) return status;
  if (batch_count < 1) return StatusCode::kInvalidBatchCount;
  if (stride_c == 0) return StatusCode::kInvalidDimension;
  const auto status = check_gemm({layout, transpose_a, transpose_b, m, n, k},
                                 {a, lda, last_offset(offset_a, stride_a, batch_count)},
                                 {b, ldb, last_offset(offset_b, stride_b, batch_count)},
                                 {c, ldc, last_offset(offset_c, stride_c, batch_count)});
  if (status != StatusCode::kSuccess) return status;
  const auto call = [&] {
    clgemm::context_for(*queue)->sgemm_strided_batched(
        *queue, to_clgemm(layout), to_clgemm(transpose_a), to_clgemm(transpose_b), m, n, k, alpha,
        {a, lda, offset_a}, stride_a, {b, ldb, offset_b}, stride_b, beta, {c, ldc, offset_c}, stride_c,
        batch_count, {}, event);
  };
  const auto pass_on = [&](auto* theirs) {
    return theirs(layout, transpose_a, transpose_b, m, n, k, alpha, a, offset_a, lda, stride_a, b, offset_b,
                  ldb, stride_b, beta, c, offset_c, ldc, stride_c, batch_count, queue, event);
  };
  return multiply(&GemmStridedBatched<float>, batch_count, call, pass_on);
}

template <>
StatusCode GemmTempBufferSize<float>(const Layout layout, const Transpose transpose_a,
                                     const Transpose transpose_b, const size_t m, const size_t n,
                                     const size_t k, const size_t offset_a, const size_t lda,
                                     const size_t offset_b, const size_t ldb, const size_t /*offset_c*/,
                                     const size_t ldc, cl_command_queue* queue, size_t& bytes) {
  if (const auto status = check_queue(queue); status != StatusCode::kSuccess) return status;
  try {
    bytes = temporary_bytes({layout, transpose_a, transpose_b, m, n, k}, {nullptr, lda, offset_a},
                            {nullptr, ldb, offset_b}, ldc, *queue);
    return StatusCode::kSuccess;
  } catch (...) {
    return status_of_current_exception();
  }
}

// Frees the memory that clgemm keeps for the contexts of the program's queues. Files on disk stay.
StatusCode ClearCache() {
  try {
    clgemm::release_contexts();
  } catch (...) {
    return status_of_current_exception();
  }
  auto* const theirs = real(&ClearCache);
  return theirs == nullptr ? StatusCode::kSuccess : theirs();
}

// CLBlast has a kernel for each routine, so it can compile all of them. clgemm chooses by shape. So this
// compiles kernels for a small, a medium and a large square, which go to the cache on disk, so that this
// process and later ones find them.
StatusCode FillCache(const cl_device_id device) {
  try {
    std::vector<clgemm::SgemmShape> shapes;
    for (const size_t size : {64u, 512u, 4096u}) {
      for (const auto transpose_a : {clgemm::Transpose::no, clgemm::Transpose::yes}) {
        for (const auto transpose_b : {clgemm::Transpose::no, clgemm::Transpose::yes}) {
          clgemm::SgemmShape shape;
          shape.m = shape.n = shape.k = size;
          shape.transpose_a = transpose_a;
          shape.transpose_b = transpose_b;
          shapes.push_back(shape);
        }
      }
    }
    clgemm::Context(device).prepare(shapes);
  } catch (...) {
    return status_of_current_exception();
  }
  auto* const theirs = real(&FillCache);
  return theirs == nullptr ? StatusCode::kSuccess : theirs(device);
}

// The parameters are those of CLBlast's kernels, which clgemm does not have.
StatusCode OverrideParameters(const cl_device_id device, const std::string& kernel_name,
                              const Precision precision,
                              const std::unordered_map<std::string, size_t>& parameters) {
  auto* const theirs = real(&OverrideParameters);
  return theirs == nullptr ? StatusCode::kSuccess : theirs(device, kernel_name, precision, parameters);
}

}  // namespace clblast
