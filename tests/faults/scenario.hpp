// A call that is made repeatedly, with faults and without.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/gemm_case.hpp"

namespace clgemm::test {

class Scenario {
 public:
  virtual ~Scenario() = default;

  // Prepares everything for call(), without faults.
  virtual void prepare(float beta) = 0;
  // Makes the call, under faults.
  virtual void call() = 0;
  // Returns true if C and everything around it are right, after a call() that returned.
  virtual bool is_right() = 0;
  // Returns true if everything around C is unchanged, after a call() that threw.
  virtual bool is_undamaged() = 0;

  // Returns C in the host's memory with everything around it, or null if C is on a device. Nothing may write
  // there after call() has returned or thrown.
  virtual const std::vector<float>* host_c() const { return nullptr; }

  // Makes everything again, because a device was lost or left out.
  virtual void renew() = 0;
  // Returns true if a device was left out, so that the next call() has fewer devices than the first one.
  virtual bool is_worn() const { return false; }
  // Returns true if renew() needs a new process.
  virtual bool wants_new_process() const { return false; }

  // Returns true if the device works on copies of matrices in the host's memory.
  virtual bool is_on_copies() const { return false; }

  // Returns the devices that may die separately, if there are several.
  virtual std::vector<cl_device_id> devices() const { return {}; }
};

using MakeScenario = std::function<std::unique_ptr<Scenario>()>;

// A GEMM with gaps and guards, and its exact result.
struct Task {
  Task(const Shape& shape, const Scalars& scalars);

  bool is_right(const std::vector<float>& c) const;
  bool leaves_rest(const std::vector<float>& c) const;

  GemmCase gemm;
  Data data;
  std::vector<float> expected;
};

// Returns the task for a shape and factors. It is made at its first use.
const Task& task_of(const Shape& shape, float beta, float alpha = 2);

// If `yes`, all devices, or only one, seem to have memory of their own while this object is alive.
class MemoryOfItsOwn {
 public:
  explicit MemoryOfItsOwn(bool yes, cl_device_id of_one = nullptr);
  ~MemoryOfItsOwn();
  MemoryOfItsOwn(const MemoryOfItsOwn&) = delete;
  MemoryOfItsOwn& operator=(const MemoryOfItsOwn&) = delete;
};

// Returns all devices of the default device's platform.
std::vector<cl_device_id> devices_of_platform();

}  // namespace clgemm::test
