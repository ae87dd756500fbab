// A checked GEMM with its memory. call/ passes it to everything below.
//
// Four types describe a GEMM, because it is seen in four ways:
//
//   SgemmCall  the caller's terms: layout, transposes, sizes, leading dimensions. Only api/, devices/ and
//              call/ make one, and only call/ reads it. Errors name its arguments.
//   Problem    the numbers in canonical form: row-major, with A and B exchanged if the caller was
//              column-major. It has sizes, factors and the layout of each Operand. choose/ and plan/ see
//              nothing else, so a plan can be made and tested without any memory.
//   HostGemm   a Problem and pointers to matrices in the host's memory.
//   DeviceGemm a Problem and buffers. launch/ computes it.
//
// check_host_gemm() and check_device_gemm() (call/arguments.hpp) make the last two from a SgemmCall. They are
// the only check of a call, so code that has a HostGemm or a DeviceGemm may trust it. A HostGemm becomes
// DeviceGemms when it is cut (part_of) and its pointers are replaced by buffers, both in canonical form. So
// nothing is checked again, buffers that clgemm made are not queried, and nothing is converted back to the
// caller's terms. A batch of host matrices is a HostBatch, which consists of HostGemms. Both it and its
// checks are in call/host_batch.hpp.
//
//              check_host_gemm()             part_of()              buffers
//   SgemmCall -------------------> HostGemm -----------> HostGemm --------------.
//       |                                                                        v
//       '-----------------------------------------------------------------> DeviceGemm -> launch/
//              check_device_gemm()
#pragma once

#include <cstddef>
#include <vector>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "call/problem.hpp"

namespace clgemm {

// The buffers of the canonical operands. They are not retained, because six calls to the driver cost a small
// GEMM a twentieth of its time (H100, 25 November 2026). The caller keeps its buffers until a call returns,
// and code that makes others keeps those.
struct Buffers {
  cl_mem a = nullptr;
  cl_mem b = nullptr;
  cl_mem c = nullptr;
  cl_mem list = nullptr;  // the Products of a listed batch; otherwise null
};

struct DeviceGemm {
  Problem problem;
  Buffers buffers;
  std::vector<Product> products{};    // for a listed batch whose list does not exist yet
  Layout layout = Layout::row_major;  // the caller's, because the log shows its sizes and transposes
  std::vector<cl::Buffer> kept{};     // buffers on the caller's pointers to shared memory
};

// Returns whether a batch is a sum. All products of a sum go into one C, whose stride is 0: C <- alpha *
// (op(A0) op(B0) + op(A1) op(B1) + ...) + beta * C. Its terms must be computed one after the other. If A and
// B are stored in such a way that the batch is one GEMM with the k of all together, as for gradients of
// weights, that GEMM is the only term.
bool is_sum(const Problem& problem);
std::size_t terms_of(const DeviceGemm& gemm);
DeviceGemm term_of(const DeviceGemm& gemm, std::size_t number);

// No offsets. A batch must have constant distances (call/host_batch.hpp has others). All pointers are null if
// only the sizes matter.
struct HostGemm {
  Problem problem;
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
};

// The work of a GEMM. Without a multiplication, A and B are not read.
enum class ToDo { nothing, scale_c, gemm };
ToDo to_do(const Problem& problem);

// Rows, columns or depths from `first` on.
struct Range {
  std::size_t first = 0;
  std::size_t count = 0;
};

// Returns the i-th part of `size`, cut into parts of `step`. The last part may be shorter.
Range part_of(std::size_t size, std::size_t step, std::size_t i);

// Returns a part of the GEMM. A part that does not begin at depth 0 adds to C.
HostGemm part_of(const HostGemm& host, const Range& rows, const Range& columns, const Range& depth);

// Return the whole ranges.
Range all_rows(const HostGemm& host);
Range all_columns(const HostGemm& host);
Range all_depth(const HostGemm& host);

// Returns the layout in memory of op(X) of `rows` x `columns`, if X is stored with leading dimension `ld`.
Lines stored_lines(bool transposed, std::size_t rows, std::size_t columns, std::size_t ld);

// Returns the extents of the canonical operands, like check_call().
Extents extents_of(const Problem& problem);

// Return the alignment of a buffer's first element, in elements: the one that the device promises for its own
// memory, or that of the host's memory which the buffer uses.
std::size_t base_alignment(const Device& device);
std::size_t base_alignment(const Device& device, const void* host_memory);

// Computes C <- beta * C.
void scale_on_host(const HostGemm& host);

}  // namespace clgemm
