// Sets arguments and enqueues what a plan says; decides nothing. Layer 5.
#pragma once

#include <vector>

#include "base/opencl.hpp"
#include "build/program_cache.hpp"
#include "call/problem.hpp"
#include "plan/plan.hpp"

namespace clgemm {

// The canonical operands' buffers: a and b exchanged where the caller was column-major.
struct Buffers {
  cl::Buffer a;
  cl::Buffer b;
  cl::Buffer c;
};

// The programs of a plan, built.
struct BuiltPlan {
  Plan plan;
  std::shared_ptr<BuiltKernel> multiply;
  std::shared_ptr<BuiltKernel> pack_a;  // null where A is used where it lies
  std::shared_ptr<BuiltKernel> pack_b;
  std::shared_ptr<BuiltKernel> pack_both;  // null where the plan has none
  std::shared_ptr<BuiltKernel> otherwise;
  std::shared_ptr<BuiltKernel> reduce;  // null where k is not split

  // Those that are not null.
  std::vector<std::shared_ptr<BuiltKernel>> programs() const;
};

// Builds the programs side by side, where the implementation lets them.
BuiltPlan build(Plan plan, ProgramCache& programs, Purpose purpose);

// Where a multiply that failed had come to: C is as it was until the first kernel that writes to it is
// enqueued.
enum class Progress { c_untouched, c_touched };

// Enqueues the whole multiply behind `wait_for`. `scratch` has plan.scratch_bytes; it may be null where these
// are 0. The event completes when C is complete.
cl::Event enqueue_multiply(const BuiltPlan& built, const Problem& problem, const Buffers& buffers,
                           const cl::Buffer& scratch, const cl::CommandQueue& queue,
                           const std::vector<cl::Event>& wait_for, Progress& progress);

// Enqueues C <- beta * C behind `wait_for`, by a kernel with `role: scale`.
cl::Event enqueue_scale(const KernelConfig& config, const std::shared_ptr<BuiltKernel>& kernel,
                        const Problem& problem, const cl::Buffer& c, const cl::CommandQueue& queue,
                        const std::vector<cl::Event>& wait_for);

}  // namespace clgemm
