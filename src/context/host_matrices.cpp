#include "context/host_matrices.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "base/sizes.hpp"
#include "context/pinned_copy.hpp"

namespace clgemm {
namespace {

// Pinned memory in one transfer. A guess, not measured against others: a transfer of that size takes far
// longer than to start one, and two of them in each direction are little memory.
constexpr std::size_t chunk_bytes = std::size_t{8} << 20;

// Strips begin at multiples of this many rows or columns: the largest tile of the kernels for GPUs, all of
// them powers of two, so that only the last strip has incomplete ones. Other tiles (those of `panels`, say)
// need not divide it: each strip then has an edge, as any C.
constexpr std::size_t strip_multiple = 256;

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

// Strips of C, and with them of the larger operand, along one side of C.
struct Strips {
  bool of_rows;  // else of columns
  std::size_t length;
  std::size_t total;

  std::size_t count() const { return ceil_div(total, length); }
  // The part of op(A), op(B) or C that strip i covers along the cut side: its start and size.
  std::pair<std::size_t, std::size_t> range(std::size_t i) const {
    return {i * length, std::min(length, total - i * length)};
  }
};

Strips strips_of(const Problem& problem, std::size_t bytes) {
  const bool of_rows = problem.m >= problem.n;
  const std::size_t total = of_rows ? problem.m : problem.n;
  const std::size_t line = std::max(problem.k, of_rows ? problem.n : problem.m) * sizeof(float);
  const std::size_t length = round_up(std::max<std::size_t>(bytes / line, 1), strip_multiple);
  return {of_rows, std::min(length, total), total};
}

cl::Buffer device_buffer(const cl::Context& context, std::size_t elements) {
  return cl::Buffer(context, CL_MEM_READ_WRITE, elements * sizeof(float));
}

// The multiply on copies, for the length of one call.
class StripPipeline {
 public:
  StripPipeline(const DeviceMultiply& device, const Transfers& transfers, const SgemmCall& call,
                const float* a, const float* b, float* c, std::size_t bytes)
      : device_(device),
        problem_(canonical(call)),
        reads_a_and_b_(clgemm::reads_a_and_b(call)),
        a_{call.layout == Layout::row_major ? a : b, problem_.a.transposed, problem_.a.ld},
        b_{call.layout == Layout::row_major ? b : a, problem_.b.transposed, problem_.b.ld},
        c_{c, false, problem_.c.ld},
        strips_(strips_of(problem_, bytes)),
        in_(transfers.in, transfers.staging, chunk_bytes),
        out_(transfers.out, transfers.staging, chunk_bytes) {}

  void run() {
    if (reads_a_and_b_) {
      whole_ = strips_.of_rows ? bring(b_, {0, 0, problem_.k, problem_.n}, whole_buffer_)
                               : bring(a_, {0, 0, problem_.m, problem_.k}, whole_buffer_);
    }
    for (std::size_t i = 0; i < strips_.count(); ++i) {
      multiply(i);
      if (i > 0) fetch(i - 1);
    }
    fetch(strips_.count() - 1);
  }

 private:
  // Two strips are under way at a time. A slot is free again once its strip of C was fetched.
  struct Slot {
    cl::Buffer operand;
    cl::Buffer c;
    cl::Event done;
  };

  Part part_of_c(std::size_t i) const {
    const auto [start, size] = strips_.range(i);
    return strips_.of_rows ? Part{start, 0, size, problem_.n} : Part{0, start, problem_.m, size};
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
    if (buffer() == nullptr) buffer = device_buffer(device_.context, lines.count * lines.length);
  }

  void multiply(std::size_t i) {
    Slot& slot = slots_[i % slots_.size()];
    const Part part = part_of_c(i);
    DeviceMatrix operand;
    if (reads_a_and_b_) {
      operand = strips_.of_rows ? bring(a_, {part.row, 0, part.rows, problem_.k}, slot.operand)
                                : bring(b_, {0, part.column, problem_.k, part.columns}, slot.operand);
    }
    DeviceMatrix c{nullptr, part.columns, 0};
    make(slot.c, c_.lines(part));
    c.buffer = slot.c();
    if (problem_.beta != 0.0f) bring(c_, part, slot.c);

    const DeviceMatrix& a = strips_.of_rows ? operand : whole_;
    const DeviceMatrix& b = strips_.of_rows ? whole_ : operand;
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
    slot.done = device_.enqueue(call, a, b, c, arrived_);
    device_.queue.flush();
    arrived_.clear();
  }

  void fetch(std::size_t i) {
    const Slot& slot = slots_[i % slots_.size()];
    const Part part = part_of_c(i);
    out_.download(slot.c, slot.done, c_.at(part), c_.lines(part));
  }

  const DeviceMultiply& device_;
  Problem problem_;
  bool reads_a_and_b_;
  HostMatrix<const float> a_;
  HostMatrix<const float> b_;
  HostMatrix<float> c_;
  Strips strips_;
  PinnedCopier in_;
  PinnedCopier out_;
  cl::Buffer whole_buffer_;
  DeviceMatrix whole_;  // the operand that all strips share
  std::array<Slot, 2> slots_;
  std::vector<cl::Event> arrived_;  // uploads that the next multiply needs
};

// Does its best to return only when the queue is empty, in one way after the other: each of them may fail.
void wait_for_all(const cl::CommandQueue& queue) noexcept {
  const auto by_polling = [](const cl::Event& event) {
    while (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() > CL_COMPLETE) std::this_thread::yield();
  };
  const auto marker = [&queue] {
    cl::Event event;
    queue.enqueueMarkerWithWaitList(nullptr, &event);
    queue.flush();
    return event;
  };
  const std::function<void()> ways[] = {[&] { queue.finish(); }, [&] { marker().wait(); },
                                        [&] { by_polling(marker()); }, [&] { queue.finish(); }};
  for (const auto& wait : ways) {
    try {
      return wait();
    } catch (const std::exception&) {
      continue;
    }
  }
}

}  // namespace

void multiply_in_host_memory(const DeviceMultiply& device, const SgemmCall& call, const Extents& extents,
                             const float* a, const float* b, float* c) {
  // OpenCL takes a pointer to non-const also for memory that it only reads.
  const auto share = [&](cl_mem_flags access, const float* host, std::size_t extent) {
    return cl::Buffer(device.context, access | CL_MEM_USE_HOST_PTR, extent * sizeof(float),
                      const_cast<float*>(host));
  };
  cl::Buffer buffer_a;
  cl::Buffer buffer_b;
  if (reads_a_and_b(call)) {
    buffer_a = share(CL_MEM_READ_ONLY, a, extents.a);
    buffer_b = share(CL_MEM_READ_ONLY, b, extents.b);
  }
  const cl::Buffer buffer_c = share(CL_MEM_READ_WRITE, c, extents.c);
  try {
    const std::vector<cl::Event> finished = {
        device.enqueue(call, {buffer_a(), call.lda}, {buffer_b(), call.ldb}, {buffer_c(), call.ldc}, {})};
    // Mapping is what makes the result visible to the host; unmapping ends it.
    void* mapped = device.queue.enqueueMapBuffer(buffer_c, CL_TRUE, CL_MAP_READ, 0, extents.c * sizeof(float),
                                                 &finished);
    cl::Event unmapped;
    device.queue.enqueueUnmapMemObject(buffer_c, mapped, nullptr, &unmapped);
    unmapped.wait();
  } catch (...) {
    wait_for_all(device.queue);  // whatever happened, the device must be through with the caller's memory
    throw;
  }
}

void multiply_on_copies(const DeviceMultiply& device, const Transfers& transfers, const SgemmCall& call,
                        const float* a, const float* b, float* c, std::size_t strip_bytes) {
  StripPipeline(device, transfers, call, a, b, c, strip_bytes).run();
}

}  // namespace clgemm
