// What a Context keeps: one device, its OpenCL context and queue, and the caches. Layer 5.
#pragma once

#include <clgemm/clgemm.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "config_cache.hpp"
#include "device.hpp"
#include "launch.hpp"
#include "opencl.hpp"
#include "program_cache.hpp"
#include "scratch.hpp"

namespace clgemm {

class Context::State {
 public:
  explicit State(const cl::Device& device);
  explicit State(const cl::CommandQueue& queue);

  // Chooses a kernel, as `options` say, and builds what the plan needs. Where clgemm chooses, a kernel that
  // this device cannot run gives way to the next one; a kernel that the caller named is never replaced.
  BuiltPlan plan(const Problem& problem, const Options& options);

  // Enqueues C <- beta * C.
  cl::Event scale(const Problem& problem, const cl::Buffer& c, const cl::CommandQueue& queue,
                  const std::vector<cl::Event>& wait_for);

  const Device& info() const { return info_; }
  const cl::Context& context() const { return context_; }
  const cl::Device& device() const { return device_; }
  const cl::CommandQueue& queue() const { return queue_; }
  ScratchPool& scratch() { return scratch_; }

 private:
  State(const cl::Context& context, const cl::Device& device);

  // The configs of one kernel folder; the empty name stands for the built-in kernels alone.
  ConfigCache& configs(const std::string& kernel_folder);

  BuiltPlan plan_candidate(const Problem& problem, const Candidate& candidate, const Options& options);
  bool is_unusable(const Candidate& candidate);
  void mark_unusable(const Candidate& candidate);

  cl::Context context_;
  cl::Device device_;
  cl::CommandQueue queue_;  // in-order, for host matrices
  Device info_;
  ProgramCache programs_;
  ScratchPool scratch_;

  std::mutex mutex_;  // of what follows
  std::map<std::string, std::unique_ptr<ConfigCache>> configs_;
  std::set<std::pair<std::string, Parameters>> unusable_;  // candidates that this device could not run
};

}  // namespace clgemm
