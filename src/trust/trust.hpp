// Trust, then verify: before clgemm takes a kernel of its own choice for the first time on a device and
// driver, it multiplies a small problem with it whose result is known exactly. This is the self-test of the
// public header, of CLGEMM_SELF_TEST and of messages; what a kernel is tried on stands in known_answer.hpp.
#pragma once

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "build/built_plan.hpp"

namespace clgemm {

// All programs of the plan are known to be right, or nobody wants to know.
bool is_trusted(const BuiltPlan& built);

class Verifier {
 public:
  // `info` and `programs` must outlive it.
  Verifier(cl::Context context, cl::Device device, const Device& info, ProgramCache& programs)
      : context_(std::move(context)), device_(std::move(device)), info_(info), programs_(programs) {}

  // Tries each program of the plan that has not passed yet, in this process or an earlier one: first the
  // multiply kernel alone, then with what packs for it and adds up its parts, so that only the one at fault
  // goes into quarantine. A helper is not condemned by one multiply kernel alone: that one is given up, and
  // the next one tells which of the two was wrong. What fails is tried again before anything is said of it,
  // and is not kept for other processes where it then passes. Throws Error(self_test_failed).
  void verify(const BuiltPlan& built);

 private:
  // What a test says: the program is right; it is, but was not at first; it is wrong, again and again.
  enum class Result { right, right_at_last, wrong };

  void verify_program(const BuiltPlan& built, std::size_t stage, ProgramRole role);
  Result test(const BuiltPlan& built, std::size_t stage);
  bool passes(const BuiltPlan& built, std::size_t stage);
  // Puts down what a test of a program has shown.
  void conclude(const BuiltPlan& built, std::size_t stage, ProgramRole role, Result result);

  cl::Context context_;
  cl::Device device_;
  const Device& info_;
  ProgramCache& programs_;
};

}  // namespace clgemm
