// Tests a kernel before clgemm chooses it for the first time on a device and driver: it computes a small GEMM
// whose exact result is known. This is the self-test in the public header, in CLGEMM_SELF_TEST and in
// messages. known_answer.hpp has the test values.
#pragma once

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "build/built_plan.hpp"

namespace clgemm {

// Returns whether all programs of the plan are known to be right, or the self-test is off.
bool is_trusted(const BuiltPlan& built);

class Verifier {
 public:
  // `info` and `programs` must outlive it.
  Verifier(cl::Context context, cl::Device device, const Device& info, ProgramCache& programs)
      : context_(std::move(context)), device_(std::move(device)), info_(info), programs_(programs) {}

  // Tests each program of the plan that has not passed yet, in this process or an earlier one. It tests the
  // GEMM kernel first alone, and then with the programs that pack its operands and add up its slices, so that
  // only the program at fault goes into quarantine. One GEMM kernel alone does not condemn a helper: that
  // kernel is excluded, and the next kernel shows which of the two was wrong. After a failure the test is
  // repeated, and if it then passes, nothing is kept for other processes. Throws Error(self_test_failed).
  void verify(const BuiltPlan& built);

 private:
  // The result of a test: the program is right; it is right, but was wrong at first; it is wrong repeatedly.
  enum class Result { right, right_at_last, wrong };

  void verify_program(const BuiltPlan& built, std::size_t stage, ProgramRole role);
  Result test(const BuiltPlan& built, std::size_t stage);
  bool passes(const BuiltPlan& built, std::size_t stage);
  // Records the result of a program's test.
  void conclude(const BuiltPlan& built, std::size_t stage, ProgramRole role, Result result);

  cl::Context context_;
  cl::Device device_;
  const Device& info_;
  ProgramCache& programs_;
};

}  // namespace clgemm
