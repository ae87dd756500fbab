// Host matrices: the rest of the way of a call that begins in the caller's own memory.
//
// A device that shares the host's memory works on it where it lies. For any other, C is made in panels: while
// the device multiplies one, the next panel's operands are on their way in and the last panel of C on its way
// out.
#include <algorithm>
#include <utility>

#include "context/context.hpp"
#include "context/pinned_copy.hpp"

namespace clgemm {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{8} << 20;   // pinned memory in one transfer
constexpr std::size_t panel_bytes = std::size_t{64} << 20;  // of the operand that is cut into panels

// Panels begin at multiples of this many rows or columns, which are tile multiples of all our kernels.
constexpr std::size_t panel_multiple = 256;

// A part of op(X), by rows and columns.
struct Part {
  std::size_t row, column, rows, columns;
};

// A matrix in host memory, in row-major terms.
template <class Element>
struct HostMatrix {
  Element* first;
  bool transposed;
  std::size_t ld;

  Element* at(const Part& part) const {
    return first + (transposed ? part.column * ld + part.row : part.row * ld + part.column);
  }
  Lines lines(const Part& part) const {
    return transposed ? Lines{part.columns, part.rows, ld} : Lines{part.rows, part.columns, ld};
  }
};

// Panels of C, and with them of the larger operand, along one side of C.
struct Panels {
  bool of_rows;  // else of columns
  std::size_t length;
  std::size_t total;

  std::size_t count() const { return (total + length - 1) / length; }
  // The part of op(A), op(B) or C that panel i covers along the cut side: its start and size.
  std::pair<std::size_t, std::size_t> range(std::size_t i) const {
    return {i * length, std::min(length, total - i * length)};
  }
};

Panels panels_of(const Problem& problem, std::size_t bytes) {
  const bool of_rows = problem.m >= problem.n;
  const std::size_t total = of_rows ? problem.m : problem.n;
  const std::size_t line = std::max(problem.k, of_rows ? problem.n : problem.m) * sizeof(float);
  const std::size_t length = round_up(std::max<std::size_t>(bytes / line, 1), panel_multiple);
  return {of_rows, std::min(length, total), total};
}

cl::Buffer device_buffer(const cl::Context& context, std::size_t elements) {
  return cl::Buffer(context, CL_MEM_READ_WRITE, elements * sizeof(float));
}

// The multiply on copies, for the length of one call.
class PanelPipeline {
 public:
  PanelPipeline(Context::State& state, const SgemmCall& call, const float* a, const float* b, float* c,
                const Options& options, std::size_t bytes)
      : state_(state),
        options_(options),
        problem_(canonical(call)),
        reads_a_and_b_(clgemm::reads_a_and_b(call)),
        a_{call.layout == Layout::row_major ? a : b, problem_.a.transposed, problem_.a.ld},
        b_{call.layout == Layout::row_major ? b : a, problem_.b.transposed, problem_.b.ld},
        c_{c, false, problem_.c.ld},
        panels_(panels_of(problem_, bytes)),
        in_(state.transfer_queue_in(), state.staging(), chunk_bytes),
        out_(state.transfer_queue_out(), state.staging(), chunk_bytes) {}

  void run() {
    if (reads_a_and_b_) {
      whole_ = panels_.of_rows ? bring(b_, {0, 0, problem_.k, problem_.n}, whole_buffer_)
                               : bring(a_, {0, 0, problem_.m, problem_.k}, whole_buffer_);
    }
    for (std::size_t i = 0; i < panels_.count(); ++i) {
      multiply(i);
      if (i > 0) fetch(i - 1);
    }
    fetch(panels_.count() - 1);
  }

 private:
  // Two panels are under way at a time. A slot is free again once its panel of C was fetched.
  struct Slot {
    cl::Buffer operand;
    cl::Buffer c;
    cl::Event done;
  };

  Part part_of_c(std::size_t i) const {
    const auto [start, size] = panels_.range(i);
    return panels_.of_rows ? Part{start, 0, size, problem_.n} : Part{0, start, problem_.m, size};
  }

  // Uploads a part into `buffer`, which is made at need; returns where the part then is.
  template <class Element>
  DeviceMatrix bring(const HostMatrix<Element>& matrix, const Part& part, cl::Buffer& buffer) {
    const Lines lines = matrix.lines(part);
    make(buffer, lines);
    arrived_.push_back(in_.upload(matrix.at(part), lines, buffer));
    return {buffer(), lines.length, 0};
  }

  void make(cl::Buffer& buffer, const Lines& lines) const {
    if (buffer() == nullptr) buffer = device_buffer(state_.context(), lines.count * lines.length);
  }

  void multiply(std::size_t i) {
    Slot& slot = slots_[i % slots_.size()];
    const Part part = part_of_c(i);
    DeviceMatrix operand;
    if (reads_a_and_b_) {
      operand = panels_.of_rows ? bring(a_, {part.row, 0, part.rows, problem_.k}, slot.operand)
                                : bring(b_, {0, part.column, problem_.k, part.columns}, slot.operand);
    }
    DeviceMatrix c{nullptr, part.columns, 0};
    make(slot.c, c_.lines(part));
    c.buffer = slot.c();
    if (problem_.beta != 0.0f) bring(c_, part, slot.c);

    const DeviceMatrix& a = panels_.of_rows ? operand : whole_;
    const DeviceMatrix& b = panels_.of_rows ? whole_ : operand;
    const auto transpose = [](bool transposed) { return transposed ? Transpose::yes : Transpose::no; };
    const SgemmCall call{Layout::row_major,
                         transpose(problem_.a.transposed),
                         transpose(problem_.b.transposed),
                         part.rows,
                         part.columns,
                         problem_.k,
                         problem_.alpha,
                         problem_.beta,
                         reads_a_and_b_ ? a.ld : problem_.a.ld,
                         reads_a_and_b_ ? b.ld : problem_.b.ld,
                         c.ld};
    slot.done = state_.enqueue(state_.check(call, a, b, c, options_), state_.queue(), arrived_, options_);
    state_.queue().flush();
    arrived_.clear();
  }

  void fetch(std::size_t i) {
    const Slot& slot = slots_[i % slots_.size()];
    const Part part = part_of_c(i);
    out_.download(slot.c, slot.done, c_.at(part), c_.lines(part));
  }

  Context::State& state_;
  const Options& options_;
  Problem problem_;
  bool reads_a_and_b_;
  HostMatrix<const float> a_;
  HostMatrix<const float> b_;
  HostMatrix<float> c_;
  Panels panels_;
  PinnedCopier in_;
  PinnedCopier out_;
  cl::Buffer whole_buffer_;
  DeviceMatrix whole_;  // the operand that all panels share
  std::array<Slot, 2> slots_;
  std::vector<cl::Event> arrived_;  // uploads that the next multiply needs
};

}  // namespace

void Context::State::sgemm_on_host(const SgemmCall& call, const Extents& extents, const float* a,
                                   const float* b, float* c, const Options& options) {
  if (info_.shares_host_memory) {
    sgemm_in_host_memory(call, extents, a, b, c, options);
  } else {
    sgemm_on_copies(call, a, b, c, options, panel_bytes);
  }
}

void Context::State::sgemm_in_host_memory(const SgemmCall& call, const Extents& extents, const float* a,
                                          const float* b, float* c, const Options& options) {
  // OpenCL takes a pointer to non-const also for memory that it only reads.
  const auto share = [this](cl_mem_flags access, const float* host, std::size_t extent) {
    return cl::Buffer(context_, access | CL_MEM_USE_HOST_PTR, extent * sizeof(float),
                      const_cast<float*>(host));
  };
  cl::Buffer buffer_a;
  cl::Buffer buffer_b;
  if (reads_a_and_b(call)) {
    buffer_a = share(CL_MEM_READ_ONLY, a, extents.a);
    buffer_b = share(CL_MEM_READ_ONLY, b, extents.b);
  }
  const cl::Buffer buffer_c = share(CL_MEM_READ_WRITE, c, extents.c);
  const CheckedCall checked =
      check(call, {buffer_a(), call.lda}, {buffer_b(), call.ldb}, {buffer_c(), call.ldc}, options);
  try {
    const std::vector<cl::Event> finished = {enqueue(checked, queue_, {}, options)};
    // Mapping is what makes the result visible to the host; unmapping ends it.
    void* mapped =
        queue_.enqueueMapBuffer(buffer_c, CL_TRUE, CL_MAP_READ, 0, extents.c * sizeof(float), &finished);
    cl::Event unmapped;
    queue_.enqueueUnmapMemObject(buffer_c, mapped, nullptr, &unmapped);
    unmapped.wait();
  } catch (...) {
    queue_.finish();  // whatever happened, the device must be through with the caller's memory
    throw;
  }
}

void Context::State::sgemm_on_copies(const SgemmCall& call, const float* a, const float* b, float* c,
                                     const Options& options, std::size_t bytes) {
  PanelPipeline(*this, call, a, b, c, options, bytes).run();
}

}  // namespace clgemm
