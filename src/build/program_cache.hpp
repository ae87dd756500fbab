// Keeps kernel configs as built programs. Each is built once a process, or once a machine if the disk cache
// is used.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/device.hpp"
#include "base/opencl.hpp"
#include "build/disk_cache.hpp"
#include "build/turn.hpp"
#include "kernel/kernel_arguments.hpp"
#include "kernel/kernel_config.hpp"

namespace clgemm {

// A kernel object with those of its arguments that are numbers, by position. Setting one costs the driver as
// much as one or two function calls, and most numbers are the same as in the call before. Memory objects are
// not noted, because a new object may get the address of a released one.
struct KernelWithNumbers {
  struct Number {
    std::size_t bytes = 0;  // 0: nothing is known of the argument
    std::uint64_t value = 0;

    bool operator==(const Number&) const = default;
  };

  cl::Kernel kernel;
  std::vector<Number> numbers;
  std::optional<Numbers> all_numbers;  // if the kernel takes them as one argument
};

// A built program. Its kernels hold arguments, so a thread takes a kernel for itself while it sets them.
class BuiltKernel {
 public:
  BuiltKernel(cl::Program program, const char* entry, cl::Kernel first, Passing passing, std::string key,
              std::string title, std::vector<unsigned char> binary);

  // A kernel that belongs to the caller alone until this object is destroyed.
  class Lease {
   public:
    explicit Lease(std::shared_ptr<BuiltKernel> owner);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    cl::Kernel& operator*() { return held_.kernel; }

    void set(cl_uint place, cl_mem memory) { held_.kernel.setArg(place, sizeof memory, &memory); }

    // Sets an argument that is a number, unless it already has this value.
    template <class Number>
    void set(cl_uint place, Number number) {
      KernelWithNumbers::Number wanted{sizeof number, 0};
      static_assert(sizeof number <= sizeof wanted.value);
      std::memcpy(&wanted.value, &number, sizeof number);
      if (held_.numbers.size() <= place) held_.numbers.resize(place + 1);
      if (held_.numbers[place] == wanted) return;
      held_.numbers[place] = {};
      held_.kernel.setArg(place, number);
      held_.numbers[place] = wanted;
    }

    // Sets an argument to all numbers, unless it already has these values.
    void set(cl_uint place, const Numbers& all) {
      if (held_.all_numbers && std::memcmp(&*held_.all_numbers, &all, sizeof all) == 0) return;
      held_.all_numbers.reset();
      held_.kernel.setArg(place, sizeof all, &all);
      held_.all_numbers = all;
    }

   private:
    std::shared_ptr<BuiltKernel> owner_;
    KernelWithNumbers held_;
  };

  Passing passing() const { return passing_; }

  // The result of the kernel's self-test, in this process or an earlier one.
  std::atomic<DiskCache::Trust> trust{DiskCache::Trust::untested};

  // Bytes that its compiler could not keep in registers; see build/spills.hpp.
  std::size_t spilled_bytes = 0;

  // True until the disk cache has the program in its present state.
  std::atomic<bool> is_new{true};

  // Held by the thread that runs the self-test.
  std::mutex test_mutex;

  // A GEMM kernel that gave wrong results with this program, its helper, and right results without it. It is
  // not known yet which of the two is at fault. Protected by test_mutex.
  struct Suspicion {
    std::string kernel;
    std::vector<std::shared_ptr<BuiltKernel>> programs;
  };
  Suspicion suspicion;

 private:
  friend class ProgramCache;

  cl::Program program_;
  const char* entry_;
  Passing passing_;
  std::string key_;    // key of the entry on disk
  std::string title_;  // for messages
  std::mutex mutex_;   // for the members below
  std::vector<KernelWithNumbers> idle_;
  std::mutex storing_;  // for the member below, also while it is written to disk
  std::vector<unsigned char> binary_;
};

// The user of a program: clgemm itself, which takes no kernel in quarantine, or a caller that named the
// kernel.
enum class Purpose { chosen, named };

// Any number of threads may use the same cache. The first thread that needs a program builds it. Other
// threads that need the same program wait for it; all others go on. A failed build is forgotten, so that the
// next call tries again.
class ProgramCache {
 public:
  ProgramCache(cl::Context context, cl::Device device, const Device& info, DiskCache disk);

  // Waits for programs that are still being stored.
  ~ProgramCache();

  ProgramCache(const ProgramCache&) = delete;
  ProgramCache& operator=(const ProgramCache&) = delete;

  // Throws an Error: build_failed with the compiler's log; invalid_kernel_file if the source has no kernel
  // function of the contract; device_limit_exceeded if the built kernel allows fewer work-items than its
  // work-group has; self_test_failed for a chosen kernel that is in quarantine. `turn` is for compile(), and
  // ends at the latest when get() returns.
  std::shared_ptr<BuiltKernel> get(const std::shared_ptr<const KernelConfig>& config, Purpose purpose,
                                   Turn* turn = nullptr);

  // Returns true if get() need not build, and waits no longer than for another thread's build.
  bool has(const std::shared_ptr<const KernelConfig>& config);

  // Returns true if get() returns a program at once.
  bool is_built(const std::shared_ptr<const KernelConfig>& config);

  // Stores the program and what is known about it on disk, in the background, if it is new. Call it after a
  // launch, because a program that cannot be launched is not worth keeping. Call it also if the program
  // spills, so that later processes need not compile it to find that out. If no thread can be started,
  // nothing happens.
  void keep(const std::shared_ptr<BuiltKernel>& built);

  // Waits until everything that was to be kept is stored.
  void finish_keeping();

  // Returns the key of a config's program in the disk cache.
  static std::string disk_key(const Device& device, const KernelConfig& config);

 private:
  // A file is read once a context, and its config keeps it, so its address identifies its text.
  using Key = std::pair<std::shared_ptr<const KernelFile>, std::string>;
  using Pending = std::shared_future<std::shared_ptr<BuiltKernel>>;

  std::shared_ptr<BuiltKernel> get_any(const std::shared_ptr<const KernelConfig>& config, Purpose purpose,
                                       Turn* turn);
  std::shared_ptr<BuiltKernel> build(const KernelConfig& config, Purpose purpose, Turn* turn) const;
  cl::Program load_precompiled(const KernelConfig& config, Turn* turn) const;
  std::vector<unsigned char> binary_to_keep(const cl::Program& program) const noexcept;
  void store(BuiltKernel& built) const noexcept;

  cl::Context context_;
  cl::Device device_;
  Device info_;

  // PoCL (3.1) sometimes corrupts its memory if it is asked for a binary while it compiles another kernel. It
  // keeps machine code in a cache of its own, so our cache then keeps only what is known about the kernels.
  bool gives_binaries_;

  DiskCache disk_;
  std::mutex mutex_;  // for the members below
  std::map<Key, Pending> programs_;
  std::vector<std::future<void>> keeping_;
};

}  // namespace clgemm
