#include "host/host_matrices.hpp"

#include <algorithm>
#include <cstddef>

#include "base/finished.hpp"
#include "base/sizes.hpp"

namespace clgemm {
namespace {

// Returns the halves of `range`, if there are two.
std::vector<Range> halves_of(const Range& range) {
  if (range.count < 2) return {};
  const std::size_t half = range.count / 2;
  return {{range.first, half}, {range.first + half, range.count - half}};
}

// Cuts the problem in two, along the lines of a matrix that is too large. Returns an empty list if the matrix
// has one line.
std::vector<HostGemm> cut(const HostGemm& host, const Extents& extents, std::size_t most) {
  const Problem& problem = host.problem;
  const Range rows = all_rows(host);
  const Range columns = all_columns(host);
  const Range depth = all_depth(host);
  std::vector<HostGemm> result;
  if (extents.c > most || (extents.a > most && !problem.a.transposed)) {
    for (const Range& half : halves_of(rows)) result.push_back(part_of(host, half, columns, depth));
  } else if (extents.b > most && problem.b.transposed) {
    for (const Range& half : halves_of(columns)) result.push_back(part_of(host, rows, half, depth));
  } else {
    for (const Range& half : halves_of(depth)) result.push_back(part_of(host, rows, columns, half));
  }
  return result;
}

bool add_parts(const HostGemm& host, std::size_t most, std::vector<HostGemm>& parts) {
  const Extents extents = extents_of(host.problem);
  if (std::max({extents.a, extents.b, extents.c}) <= most) {
    parts.push_back(host);
    return true;
  }
  const std::vector<HostGemm> halves = cut(host, extents, most);
  for (const HostGemm& half : halves) {
    if (!add_parts(half, most, parts)) return false;
  }
  return !halves.empty();
}

// Unmaps C after the mapping. Rusticl (Mesa 22.3) refuses to unmap memory that is not mapped yet, so this
// waits for the mapping.
cl::Event unmap(const cl::CommandQueue& queue, const cl::Buffer& c, void* mapped) {
  cl::Event last;
  try {
    queue.enqueueUnmapMemObject(c, mapped, nullptr, &last);
  } catch (const cl::Error& refused) {
    if (refused.err() != CL_INVALID_VALUE) throw;
    cl::Event is_mapped;
    queue.enqueueMarkerWithWaitList(nullptr, &is_mapped);
    is_mapped.wait();
    queue.enqueueUnmapMemObject(c, mapped, nullptr, &last);
  }
  return last;
}

}  // namespace

Problem in_host_memory(Problem problem) {
  problem.a.base_alignment = problem.b.base_alignment = alignof(std::max_align_t) / sizeof(float);
  return problem;
}

std::vector<HostGemm> parts_in_place(const HostGemm& host, std::size_t max_allocation) {
  std::vector<HostGemm> parts;
  if (!add_parts(host, max_allocation / sizeof(float), parts)) parts.clear();
  return parts;
}

void multiply_in_host_memory(const GemmDevice& device, const HostGemm& host) {
  const Extents extents = extents_of(host.problem);
  // OpenCL takes a pointer to non-const, even for memory that it only reads.
  const auto share = [&](cl_mem_flags access, const float* matrix, std::size_t extent) {
    return cl::Buffer(device.context, access | CL_MEM_USE_HOST_PTR, extent * sizeof(float),
                      const_cast<float*>(matrix));
  };
  const cl::Buffer a = share(CL_MEM_READ_ONLY, host.a, extents.a);
  const cl::Buffer b = share(CL_MEM_READ_ONLY, host.b, extents.b);
  const cl::Buffer c = share(CL_MEM_READ_WRITE, host.c, extents.c);
  DeviceGemm gemm{host.problem, {a(), b(), c()}};
  gemm.problem.a.base_alignment = base_alignment(device.info, host.a);
  gemm.problem.b.base_alignment = base_alignment(device.info, host.b);
  use_matrices(device.queue, [&] {
    Enqueued enqueued = device.enqueue(gemm, {});
    // Mapping makes the result visible to the host; unmapping ends that. The host waits only once, for all
    // commands: on PoCL each wait takes 28 us to wake up (two AMD EPYC cores), and a small GEMM takes little
    // more.
    cl::Event is_mapped;
    void* mapped = device.queue.enqueueMapBuffer(c, CL_FALSE, CL_MAP_READ, 0, extents.c * sizeof(float),
                                                 &enqueued.done, &is_mapped);
    cl::Event last = unmap(device.queue, c, mapped);
    last.wait();
    enqueued.commands.insert(enqueued.commands.end(), {is_mapped, last});
    check_finished(enqueued.commands);
  });
}

}  // namespace clgemm
