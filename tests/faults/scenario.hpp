// A call that is made again and again, under faults and without.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/multiply.hpp"

namespace clgemm::test {

class Scenario {
 public:
  virtual ~Scenario() = default;

  // Makes everything ready for call(), outside of faults.
  virtual void prepare(float beta) = 0;
  // What is done under faults.
  virtual void call() = 0;
  // After a call() that returned: whether C and everything around it are right.
  virtual bool is_right() = 0;
  // After a call() that threw: whether everything around C is as it was.
  virtual bool is_undamaged() = 0;

  // C in the host's memory with everything around it. Nothing may write there once call() has returned or
  // thrown. Null if C lies on a device.
  virtual const std::vector<float>* host_c() const { return nullptr; }

  // Makes everything anew: a device was lost, or left out.
  virtual void renew() = 0;
  // Whether the next call() works with less than the first one did.
  virtual bool is_worn() const { return false; }
  // Whether renew() takes a new process.
  virtual bool wants_new_process() const { return false; }

  // Whether the device works on copies of matrices that lie in the host's memory.
  virtual bool is_on_copies() const { return false; }

  // The devices that may die by themselves, if there are several.
  virtual std::vector<cl_device_id> devices() const { return {}; }
};

using MakeScenario = std::function<std::unique_ptr<Scenario>()>;

// A multiply with gaps and guards, and what must come out of it, to the bit.
struct Task {
  Task(const Shape& shape, const Scalars& scalars);

  bool is_right(const std::vector<float>& c) const;
  bool leaves_rest(const std::vector<float>& c) const;

  Multiply multiply;
  Data data;
  std::vector<float> expected;
};

// One for each shape and beta, made at its first use.
const Task& task_of(const Shape& shape, float beta, float alpha = 2);

// For its lifetime all devices seem to have memory of their own, or one alone, if `yes`.
class MemoryOfItsOwn {
 public:
  explicit MemoryOfItsOwn(bool yes, cl_device_id of_one = nullptr);
  ~MemoryOfItsOwn();
  MemoryOfItsOwn(const MemoryOfItsOwn&) = delete;
  MemoryOfItsOwn& operator=(const MemoryOfItsOwn&) = delete;
};

// All devices of the default device's platform.
std::vector<cl_device_id> devices_of_platform();

}  // namespace clgemm::test
