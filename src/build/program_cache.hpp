// Kernel configs as built programs, each built once a process, and once a machine where the disk cache is in
// use.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "build/disk_cache.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm {

// A kernel object with the numbers that are its arguments, by their places. To set one costs the driver as
// much as a function call or two, and most numbers of a call are those of the call before. Memory objects are
// not noted: another may get the address of one that is gone.
struct KernelWithNumbers {
  struct Number {
    std::size_t bytes = 0;  // 0: nothing is known of the argument
    std::uint64_t value = 0;

    bool operator==(const Number&) const = default;
  };

  cl::Kernel kernel;
  std::vector<Number> numbers;
};

// A built program. Its kernels hold arguments, so that a thread takes one for itself while it sets them.
class BuiltKernel {
 public:
  BuiltKernel(cl::Program program, const char* entry, cl::Kernel first, std::string key, std::string title,
              std::vector<unsigned char> binary);

  // A kernel that is the caller's alone until this object ends.
  class Lease {
   public:
    explicit Lease(std::shared_ptr<BuiltKernel> owner);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    cl::Kernel& operator*() { return held_.kernel; }

    // Sets an argument that is a number, unless it is that number already.
    template <class Number>
    void set_number(cl_uint place, Number number) {
      KernelWithNumbers::Number wanted{sizeof number, 0};
      static_assert(sizeof number <= sizeof wanted.value);
      std::memcpy(&wanted.value, &number, sizeof number);
      if (held_.numbers.size() <= place) held_.numbers.resize(place + 1);
      if (held_.numbers[place] == wanted) return;
      held_.numbers[place] = {};
      held_.kernel.setArg(place, number);
      held_.numbers[place] = wanted;
    }

   private:
    std::shared_ptr<BuiltKernel> owner_;
    KernelWithNumbers held_;
  };

  // What is known of the kernel, in this process or from an earlier one.
  std::atomic<DiskCache::Trust> trust{DiskCache::Trust::untested};

  // What its compiler could not keep in registers; see build/spills.hpp.
  std::size_t spilled_bytes = 0;

  // True until the disk cache has the program as it is now.
  std::atomic<bool> is_new{true};

  // Held by the thread that runs the self-test.
  std::mutex test_mutex;

  // A multiply kernel that gave wrong results with this one, its helper, and right ones without: which of the
  // two is at fault is not known yet. For who holds test_mutex.
  struct Suspicion {
    std::string kernel;
    std::vector<std::shared_ptr<BuiltKernel>> programs;
  };
  Suspicion suspicion;

 private:
  friend class ProgramCache;

  cl::Program program_;
  const char* entry_;
  std::string key_;    // of the entry on disk
  std::string title_;  // for people
  std::mutex mutex_;   // of what follows
  std::vector<KernelWithNumbers> idle_;
  std::mutex storing_;  // of what follows, and held while it goes to the disk
  std::vector<unsigned char> binary_;
};

// Who wants a program: clgemm itself, which takes no kernel that is in quarantine, or a caller who named it.
enum class Purpose { chosen, named };

// Any number of threads may use one. The thread that needs a program first builds it; others that need the
// same one wait for it, and nobody else does. A failed build is forgotten, so that the next call tries again.
class ProgramCache {
 public:
  ProgramCache(cl::Context context, cl::Device device, const Device& info, DiskCache disk);

  // Waits for what is still being stored.
  ~ProgramCache();

  ProgramCache(const ProgramCache&) = delete;
  ProgramCache& operator=(const ProgramCache&) = delete;

  // Throws Error: build_failed with the compiler's log; invalid_kernel_file where the source has no kernel
  // function of the contract; device_limit_exceeded where the built kernel allows fewer work-items than its
  // work-group has; self_test_failed for a chosen kernel that is in quarantine.
  std::shared_ptr<BuiltKernel> get(const std::shared_ptr<const KernelConfig>& config, Purpose purpose);

  // True where get() need not build, or wait for longer than another thread's build takes.
  bool has(const std::shared_ptr<const KernelConfig>& config);

  // Puts the program on disk, with what is known of it, in the background, where it is new. To be called
  // after a launch, for what cannot be launched is not worth keeping, or if the program spills: then later
  // processes need not compile it to know that. Where no thread can be started nothing happens.
  void keep(const std::shared_ptr<BuiltKernel>& built);

  // Waits until everything that was to be kept is stored.
  void finish_keeping();

 private:
  // A file is read once a context and kept by its config, so that its address stands for its text.
  using Key = std::pair<std::shared_ptr<const KernelFile>, std::string>;
  using Pending = std::shared_future<std::shared_ptr<BuiltKernel>>;

  std::shared_ptr<BuiltKernel> get_any(const std::shared_ptr<const KernelConfig>& config, Purpose purpose);
  std::shared_ptr<BuiltKernel> build(const KernelConfig& config, Purpose purpose) const;
  std::string disk_key(const KernelConfig& config) const;
  std::vector<unsigned char> binary_to_keep(const cl::Program& program) const noexcept;
  void store(BuiltKernel& built) const noexcept;

  cl::Context context_;
  cl::Device device_;
  Device info_;
  std::string machine_;  // the part of each key on disk that names device, driver and platform

  // PoCL (3.1) corrupts its memory now and then where it is asked for a binary while it compiles another
  // kernel. It keeps machine code in a cache of its own; ours then keeps only what is known of the kernels.
  bool gives_binaries_;

  DiskCache disk_;
  std::mutex mutex_;  // of what follows
  std::map<Key, Pending> programs_;
  std::vector<std::future<void>> keeping_;
};

}  // namespace clgemm
