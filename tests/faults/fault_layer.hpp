// What a program under the fault layer can ask of it. The layer is a library that OpenCL's loader puts
// between a program and every driver (OPENCL_LAYERS, CL/cl_layer.h): it numbers the calls, fails some,
// corrupts what is read, makes up facts of devices, and counts references to objects.
//
// For any program, by environment: CLGEMM_TEST_FAULTS="FIRST[+EVERY][:STATUS[:FUNCTION]]", for example
// "17:-5:clEnqueueNDRangeKernel".
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstddef>
#include <string>
#include <vector>

namespace clgemm::test {

struct Fault {
  unsigned long first = 0;  // the number of the call that fails, 1 being the next one; 0: none
  unsigned long every = 0;  // and each so many calls later; 0: once, 1: from there on
  cl_int status = CL_OUT_OF_RESOURCES;
  std::string function;  // counts calls of this one alone; "clRelease*": of all that begin so; empty: of any
  const void* object = nullptr;  // and only those whose first argument this is; null: any
  bool is_done = false;          // it is carried out, and says that it failed
};

// A command as it was enqueued.
struct Command {
  std::string function;
  std::vector<cl_event> wait_for;
  cl_event event;  // not retained
};

class FaultLayer {
 public:
  // The layer that stands below this process; ends it where there is none.
  static FaultLayer& of_process();

  // From here on these calls fail, and are not carried out; calls are numbered anew. Retains and releases
  // count for faults that name them. After a release that failed nobody knows whether there is a reference
  // left: live_objects() counts none, for to release once more may end the process.
  virtual void arm(std::vector<Fault> faults) = 0;
  virtual void disarm() = 0;

  // Since the last arm(): how many calls there were, and the names of those that failed.
  virtual unsigned long calls() const = 0;
  virtual std::vector<std::string> failed() const = 0;

  // How many calls the i-th of these faults has counted, until disarm().
  virtual unsigned long counted(std::size_t i) const = 0;

  // Flips a bit of what the n-th blocking clEnqueueReadBuffer from here on reads; 0: of none.
  virtual void corrupt_read(unsigned long n) = 0;

  // Calls of this function take some milliseconds more from here on; the result of the second function is how
  // many of them there were at one time, at most. Empty: of none.
  virtual void slow_down(const std::string& function) = 0;
  virtual int most_at_once() const = 0;

  // Commands from here on, until it is called again. Empty where record(false).
  virtual std::vector<Command> record(bool on) = 0;

  // Answers clGetDeviceInfo or clGetPlatformInfo with these bytes. No bytes: with the truth again.
  virtual void pretend(bool of_platform, cl_uint parameter, const std::string& bytes) = 0;

  // Answers whoever asks for a program's binary with this text, as NVIDIA's driver does with PTX; a text in
  // which there is ".target" then makes a program of that binary. Empty: with the truth again.
  virtual void pretend_ptx(const std::string& text) = 0;
  // The text that the last such program was made of.
  virtual std::string ptx_of_program() const = 0;

  // References to contexts, queues, buffers, programs, kernels and events: those created and retained, less
  // those released.
  virtual long live_objects() const = 0;
  virtual std::string describe_live() const = 0;

 protected:
  ~FaultLayer() = default;
};

}  // namespace clgemm::test
