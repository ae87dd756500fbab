// Measures the highest rates of a device with the kernels of probe.cl. The probe uses it at first use, and
// clgemm-bench --ceilings for longer.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/device.hpp"
#include "base/device_facts.hpp"
#include "base/opencl.hpp"

namespace clgemm {

double seconds_since(std::chrono::steady_clock::time_point start);

// The best of some runs counts, because other work of the device only adds time.
struct Effort {
  std::size_t runs = 5;
  double run_seconds = 3e-3;  // long enough for the host's clock, and for a processor to reach its speed
  double all_seconds = 0.06;  // for the runs of one kernel, if they take longer
};

// Throws OpenCL's errors.
class RateMeter {
 public:
  // `more_source` is appended to probe.cl. `info` must outlive the object.
  RateMeter(const cl::Context& context, const cl::Device& device, const Device& info,
            const Effort& effort = {}, const std::string& more_source = {});
  ~RateMeter();
  RateMeter(const RateMeter&) = delete;
  RateMeter& operator=(const RateMeter&) = delete;

  // Returns the fp32 multiply-adds a second of the whole device.
  double multiply_adds();

  // Returns the bytes a second that a kernel reads of so much memory, or of half of the largest allocation.
  double bytes_read(std::size_t bytes, cl_int passes = 1);

  // Returns the bytes a second that the kernel `copy_all` of `more_source` reads and writes together.
  double bytes_copied(std::size_t bytes);

  // Returns nothing if the device shares the host's memory. Otherwise, it has a link, and one thread copies.
  // Other programs can only make them slower, so the results are always used.
  std::optional<HostRates> host();

  // Returns whether the best runs of each kernel agreed.
  bool agrees() const { return agrees_; }

 private:
  // The work that keeps a device busy.
  struct Load {
    std::size_t width;  // floats of a vector
    std::size_t chains;
    std::size_t group;             // work-items of a work-group
    std::size_t groups_of_a_unit;  // work-groups for each compute unit
    bool neighbours_together;      // in memory: those of work-items; otherwise those of steps
  };
  static Load load_for(const Device& info);

  std::size_t bytes_of_a_step() const { return items_ * load_.width * sizeof(float); }
  std::size_t steps_for(std::size_t bytes) const;
  cl::Buffer filled(std::size_t bytes);
  double bytes_moved(const char* kernel, const cl::Buffer& from, const cl::Buffer& to, std::size_t steps,
                     cl_int passes);
  void check_finished(const cl::Event& event);
  double run_once(const cl::Kernel& kernel, int launches = 1);
  template <class Run>
  double best_of(const Run& run);

  cl::Context context_;
  const Device& info_;
  Effort effort_;
  Load load_;
  std::size_t items_;
  cl::CommandQueue queue_;
  cl::Program program_;
  cl::Buffer results_;
  bool agrees_ = true;
};

}  // namespace clgemm
