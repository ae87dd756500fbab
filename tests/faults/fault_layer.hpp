// The interface of the fault layer for programs that run under it. The layer is a library that OpenCL's
// loader puts between a program and every driver (OPENCL_LAYERS, CL/cl_layer.h). It numbers the calls, lets
// some of them fail, corrupts data that is read, invents facts of devices, and counts references to objects.
//
// It works for any program, through the environment: CLGEMM_TEST_FAULTS="FIRST[+EVERY][:STATUS[:FUNCTION]]",
// for example "17:-5:clEnqueueNDRangeKernel". If all calls fail from the first one on, the device is dead.
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
  // The call is not executed.
  refused,
  // The call is executed, but returns an error.
  done,
  // Like `refused`, but clFinish waits for running commands before it returns the error. The device is dead:
  // after that, no computation is running any more.
  dead,
  // The command is accepted. It does not run, and its event ends with the status. Later commands run
  // normally, as on PoCL. A blocking command is refused.
  by_event,
  // The same, but commands that wait for a failed event fail, too.
  by_event_and_followers,
};

struct Fault {
  unsigned long first = 0;  // the number of the call that fails; 1 is the next one, 0 none
  unsigned long every = 0;  // then every so many calls; 0 means once, 1 all later calls
  cl_int status = CL_OUT_OF_RESOURCES;
  // Counts only calls of this function. "clRelease*" means all whose names begin so, "clFinish|clFlush" means
  // both. If it is empty, all calls count except retains and releases.
  std::string function;
  const void* object = nullptr;  // only calls with this first argument; null means any
  Failing failing = Failing::refused;
  // Counts only calls for this device, or for an object that only it has. Null means any.
  cl_device_id device = nullptr;
};

// A command that was enqueued.
struct Command {
  std::string function;
  std::vector<cl_event> wait_for;
  cl_event event;  // not retained
};

class FaultLayer {
 public:
  // Returns the layer below this process. Ends the process if there is none.
  static FaultLayer& of_process();

  // From here on, these calls fail and are not executed. The numbers of calls restart. Retains and releases
  // only count for faults that name them. After a release that failed, it is unknown if a reference is left.
  // live_objects() counts none, because a second release may end the process.
  virtual void arm(std::vector<Fault> faults) = 0;
  virtual void disarm() = 0;

  // Since the last arm(), these return the number of calls, and the names of the calls that failed.
  virtual unsigned long calls() const = 0;
  virtual std::vector<std::string> failed() const = 0;

  // Returns how many calls the i-th of these faults has counted, until disarm().
  virtual unsigned long counted(std::size_t i) const = 0;

  // Flips a bit of the data that the n-th blocking clEnqueueReadBuffer from here on reads. 0 means none.
  virtual void corrupt_read(unsigned long n) = 0;

  // From here on, reads and writes of buffers take this long, on the device if it can wait for events of the
  // host.
  virtual void slow_copies(std::chrono::milliseconds time) = 0;

  // Waits below this layer until all queues are idle, including those that were released under faults.
  virtual void finish_everything() = 0;

  // From here on, calls of this function take some milliseconds more. An empty name means none. The second
  // function returns how many of them ran at the same time at most.
  virtual void slow_down(const std::string& function) = 0;
  virtual int most_at_once() const = 0;

  // Returns the commands from here on, until it is called again. Returns nothing after record(false).
  virtual std::vector<Command> record(bool on) = 0;

  // Answers clGetDeviceInfo or clGetPlatformInfo with these bytes. Without bytes, the answer is true again.
  void pretend(bool of_platform, cl_uint parameter, const std::string& bytes) {
    pretend(of_platform, parameter, bytes, nullptr);
  }
  // Does the same for one device, or for any if it is null.
  virtual void pretend(bool of_platform, cl_uint parameter, const std::string& bytes,
                       cl_device_id of_one) = 0;

  // Reports this many bytes of private memory for kernels with this text in their build options, and none for
  // others. The build log of their programs is `log`. With a log, every compiler accepts NVIDIA's option for
  // it. Without a text, the answers are true again.
  virtual void pretend_spills(const std::string& options, cl_ulong bytes, const std::string& log) = 0;

  // Returns this text as the binary of any program, as NVIDIA's driver does with PTX. A text with ".target"
  // in it, or an ELF file, then makes a program from that binary. An empty text makes the answers true again.
  virtual void pretend_binary(const std::string& text) = 0;
  // Returns the text from which the last such program was made.
  virtual std::string given_binary() const = 0;

  // Returns the number of references to contexts, queues, buffers, programs, kernels and events: those
  // created and retained, minus those released.
  virtual long live_objects() const = 0;
  virtual std::string describe_live() const = 0;

 protected:
  ~FaultLayer() = default;
};

}  // namespace clgemm::test
