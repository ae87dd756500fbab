// A checked GEMM with its memory: what call/ hands to everything below it.
//
// Four types describe a GEMM, because it is seen in four ways:
//
//   SgemmCall  the caller's words: layout, transposes, sizes, leading dimensions. Only api/, devices/ and
//              call/ make one, and only call/ reads it. Errors speak of its arguments.
//   Problem    the numbers in canonical form: row-major, with A and B exchanged if the caller was
//              column-major; sizes, factors, and for each Operand how it is stored. choose/ and plan/ see
//              nothing else, so that a plan can be made and tested without any memory.
//   HostGemm   a Problem and pointers to matrices in the host's memory.
//   DeviceGemm a Problem and buffers. It is what launch/ multiplies.
//
// check_host_gemm() and check_device_gemm() (call/arguments.hpp) make the last two of a SgemmCall. They are
// the one check of a call: whoever has a HostGemm or a DeviceGemm may trust it. A HostGemm becomes
// DeviceGemms by cutting (part_of) and by putting buffers in place of pointers, both in canonical form. So
// nothing is checked again, buffers that clgemm made are not asked what they are, and nothing is turned back
// into the caller's words. A batch of host matrices is a HostBatch, which consists of HostGemms. Both it and
// its checks are in call/host_batch.hpp.
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
// GEMM a twentieth of its time (H100, 25 November 2026): the caller keeps its own until a call returns, and
// whoever makes other ones keeps those.
struct Buffers {
  cl_mem a = nullptr;
  cl_mem b = nullptr;
  cl_mem c = nullptr;
  cl_mem list = nullptr;  // of a listed batch: its Products; else null
};

struct DeviceGemm {
  Problem problem;
  Buffers buffers;
  std::vector<Product> products{};    // of a listed batch, if its list is still to be made
  Layout layout = Layout::row_major;  // of the caller, for the log, which names its sizes and transposes
  std::vector<cl::Buffer> kept{};     // buffers on the caller's pointers to shared memory
};

// A batch whose products all go into one C (its stride is 0) is a sum: C <- alpha * (op(A0) op(B0) + op(A1)
// op(B1) + ...) + beta * C. Its terms are to be done one after the other. If A and B lie so that the batch is
// one GEMM with a k as long as all together, as gradients of weights do, that is the only term.
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

// What a GEMM asks for. Without a multiply, A and B are not read.
enum class ToDo { nothing, scale_c, multiply };
ToDo to_do(const Problem& problem);

// Rows, columns or depths from `first` on.
struct Range {
  std::size_t first = 0;
  std::size_t count = 0;
};

// The i-th part of `size`, cut into parts of `step`; the last one may be shorter.
Range part_of(std::size_t size, std::size_t step, std::size_t i);

// A part of the GEMM. One that does not begin at depth 0 adds to C.
HostGemm part_of(const HostGemm& host, const Range& rows, const Range& columns, const Range& depth);

// The whole range of each.
Range all_rows(const HostGemm& host);
Range all_columns(const HostGemm& host);
Range all_depth(const HostGemm& host);

// How op(X) of `rows` x `columns` lies in memory, when X is stored with leading dimension `ld`.
Lines stored_lines(bool transposed, std::size_t rows, std::size_t columns, std::size_t ld);

// As check_call() returns them, of the canonical operands.
Extents extents_of(const Problem& problem);

// How the first element of a buffer is aligned, in elements: as the device promises for its own memory, or as
// the host's memory that the buffer uses.
std::size_t base_alignment(const Device& device);
std::size_t base_alignment(const Device& device, const void* host_memory);

// C <- beta * C.
void scale_on_host(const HostGemm& host);

}  // namespace clgemm
