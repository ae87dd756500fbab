// What a program under the fault layer can ask of it. The layer is a library that OpenCL's loader puts
// between a program and every driver (OPENCL_LAYERS, CL/cl_layer.h): it numbers the calls, fails some,
// corrupts what is read, makes up facts of devices, and counts references to objects.
//
// For any program, by environment: CLGEMM_TEST_FAULTS="FIRST[+EVERY][:STATUS[:FUNCTION]]", for example
// "17:-5:clEnqueueNDRangeKernel". If all calls fail from the first one on, the device is dead.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace clgemm::test {

// How a call fails.
enum class Failing {
  // It is not carried out.
  refused,
  // It is carried out, and says that it failed.
  done,
  // As `refused`, but clFinish waits for what is under way before it says that it failed. The device is dead:
  // nothing computes any more when that returns.
  dead,
  // The command is accepted. It does not run, and its event ends with the status; later commands run as if
  // nothing had happened, as on PoCL. A blocking command is refused.
  by_event,
  // The same, and commands that wait for a failed event fail, too.
  by_event_and_followers,
};

struct Fault {
  unsigned long first = 0;  // the number of the call that fails, 1 being the next one; 0: none
  unsigned long every = 0;  // and each so many calls later; 0: once, 1: from there on
  cl_int status = CL_OUT_OF_RESOURCES;
  // Counts calls of this function alone. "clRelease*": of all that begin so; "clFinish|clFlush": of both;
  // empty: of any but retains and releases.
  std::string function;
  const void* object = nullptr;  // and only those whose first argument this is; null: any
  Failing failing = Failing::refused;
  cl_device_id device = nullptr;  // and only those for this device, or for an object of its own; null: any
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

  // Reads and writes of buffers take so long from here on, on the device if it can wait for events of the
  // host's.
  virtual void slow_copies(std::chrono::milliseconds time) = 0;

  // Waits below this layer until no queue has anything to do, those included that were released under faults.
  virtual void finish_everything() = 0;

  // Calls of this function take some milliseconds more from here on; the result of the second function is how
  // many of them there were at one time, at most. Empty: of none.
  virtual void slow_down(const std::string& function) = 0;
  virtual int most_at_once() const = 0;

  // Commands from here on, until it is called again. Empty where record(false).
  virtual std::vector<Command> record(bool on) = 0;

  // Answers clGetDeviceInfo or clGetPlatformInfo with these bytes. No bytes: with the truth again.
  void pretend(bool of_platform, cl_uint parameter, const std::string& bytes) {
    pretend(of_platform, parameter, bytes, nullptr);
  }
  // The same of one device alone; null: of any.
  virtual void pretend(bool of_platform, cl_uint parameter, const std::string& bytes,
                       cl_device_id of_one) = 0;

  // Says that kernels whose build options have this text in them need so many bytes of private memory, others
  // none, and that the build log of their programs is this one. With a log, NVIDIA's option for it is known
  // to every compiler. No text: the truth again.
  virtual void pretend_spills(const std::string& options, cl_ulong bytes, const std::string& log) = 0;

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
