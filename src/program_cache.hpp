// Kernel configs as built programs, each built once. Layer 4.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kernel_config.hpp"
#include "opencl.hpp"

namespace clgemm {

// A built program. Its kernels hold arguments, so that a thread takes one for itself while it sets them.
class BuiltKernel {
 public:
  BuiltKernel(cl::Program program, const char* entry, cl::Kernel first);

  // A kernel that is the caller's alone until this object ends.
  class Lease {
   public:
    explicit Lease(std::shared_ptr<BuiltKernel> owner);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    cl::Kernel& operator*() { return kernel_; }

   private:
    std::shared_ptr<BuiltKernel> owner_;
    cl::Kernel kernel_;
  };

 private:
  cl::Program program_;
  const char* entry_;
  std::mutex mutex_;
  std::vector<cl::Kernel> idle_;
};

// Any number of threads may use one. The thread that needs a program first builds it; others that need the
// same one wait for it, and nobody else does. A failed build is forgotten, so that the next call tries again.
class ProgramCache {
 public:
  ProgramCache(cl::Context context, cl::Device device)
      : context_(std::move(context)), device_(std::move(device)) {}

  // Throws Error: build_failed with the compiler's log; invalid_kernel_file where the source has no kernel
  // function of the contract; device_limit_exceeded where the built kernel allows fewer work-items than its
  // work-group has.
  std::shared_ptr<BuiltKernel> get(const std::shared_ptr<const KernelConfig>& config);

 private:
  // A file is read once a context and kept by its config, so that its address stands for its text.
  using Key = std::pair<std::shared_ptr<const KernelFile>, std::string>;
  using Pending = std::shared_future<std::shared_ptr<BuiltKernel>>;

  std::shared_ptr<BuiltKernel> build(const KernelConfig& config) const;

  cl::Context context_;
  cl::Device device_;
  std::mutex mutex_;
  std::map<Key, Pending> programs_;
};

}  // namespace clgemm
