#include "host_call.hpp"

#include <fmt/format.h>

#include <utility>

#include "error.hpp"

namespace clgemm {
namespace {

using Region = std::array<cl::size_type, 3>;

void check_pointer(const char* name, const float* pointer) {
  if (pointer == nullptr) throw Error(ErrorCode::invalid_argument, fmt::format("{} is null", name));
}

}  // namespace

void check_host_pointers(const SgemmCall& call, const Extents& extents, const float* a, const float* b,
                         const float* c) {
  if (reads_a_and_b(call)) {
    check_pointer("a", a);
    check_pointer("b", b);
  }
  if (extents.c != 0) check_pointer("c", c);
}

HostMatrices::HostMatrices(const cl::Context& context, const cl::CommandQueue& queue, const Device& device,
                           const SgemmCall& call, const Extents& extents, const float* a, const float* b,
                           float* c)
    : queue_(queue), shared_(device.shares_host_memory), host_c_(c), c_extent_(extents.c) {
  const auto lines = [&call](Transpose transpose, std::size_t rows, std::size_t columns, std::size_t ld) {
    const bool by_rows = (call.layout == Layout::row_major) == (transpose == Transpose::no);
    return by_rows ? Lines{rows, columns, ld} : Lines{columns, rows, ld};
  };
  c_lines_ = lines(Transpose::no, call.m, call.n, call.ldc);
  if (shared_) {
    if (reads_a_and_b(call)) {
      a_ = share(context, CL_MEM_READ_ONLY, a, extents.a, call.lda);
      b_ = share(context, CL_MEM_READ_ONLY, b, extents.b, call.ldb);
    } else {
      a_.device.ld = call.lda;
      b_.device.ld = call.ldb;
    }
    c_ = share(context, CL_MEM_READ_WRITE, c, extents.c, call.ldc);
    return;
  }
  const Lines a_lines = lines(call.transpose_a, call.m, call.k, call.lda);
  const Lines b_lines = lines(call.transpose_b, call.k, call.n, call.ldb);
  a_.device.ld = call.lda;
  b_.device.ld = call.ldb;
  if (reads_a_and_b(call)) {
    a_ = copy(context, CL_MEM_READ_ONLY, a, a_lines, true);
    b_ = copy(context, CL_MEM_READ_ONLY, b, b_lines, true);
  }
  c_ = copy(context, CL_MEM_READ_WRITE, c, c_lines_, call.beta != 0.0f);
}

HostMatrices::~HostMatrices() {
  if (finished_) return;
  try {
    queue_.finish();
  } catch (const cl::Error&) {
    return;  // the error that ended the call is the one to tell
  }
}

void HostMatrices::finish() {
  if (shared_) {
    void* mapped = queue_.enqueueMapBuffer(c_.buffer, CL_TRUE, CL_MAP_READ, 0, c_extent_ * sizeof(float));
    queue_.enqueueUnmapMemObject(c_.buffer, mapped);
  } else {
    const std::size_t row_bytes = c_lines_.length * sizeof(float);
    queue_.enqueueReadBufferRect(c_.buffer, CL_TRUE, Region{0, 0, 0}, Region{0, 0, 0},
                                 Region{row_bytes, c_lines_.count, 1}, row_bytes, 0,
                                 c_lines_.ld * sizeof(float), 0, host_c_);
  }
  queue_.finish();
  finished_ = true;
}

HostMatrices::Matrix HostMatrices::share(const cl::Context& context, cl_mem_flags access, const float* host,
                                         std::size_t extent, std::size_t ld) const {
  Matrix result;
  // OpenCL takes a pointer to non-const for memory that it only reads, too.
  result.buffer =
      cl::Buffer(context, access | CL_MEM_USE_HOST_PTR, extent * sizeof(float), const_cast<float*>(host));
  result.device = {result.buffer(), ld, 0};
  return result;
}

HostMatrices::Matrix HostMatrices::copy(const cl::Context& context, cl_mem_flags access, const float* host,
                                        const Lines& lines, bool upload) const {
  Matrix result;
  const std::size_t row_bytes = lines.length * sizeof(float);
  result.buffer = cl::Buffer(context, access, lines.count * row_bytes);
  result.device = {result.buffer(), lines.length, 0};
  if (upload) {
    queue_.enqueueWriteBufferRect(result.buffer, CL_FALSE, Region{0, 0, 0}, Region{0, 0, 0},
                                  Region{row_bytes, lines.count, 1}, row_bytes, 0, lines.ld * sizeof(float),
                                  0, host);
  }
  return result;
}

}  // namespace clgemm
