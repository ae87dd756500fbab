// Launches of a program, and the one moment at which its binary is taken.
//
// An implementation need not bear that CL_PROGRAM_BINARIES is asked for while a kernel of the same program is
// starting or finishing, in any context: PoCL 3.1 ends the process then. So launches are counted until the
// binary was taken, and it is taken while there are none.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/opencl.hpp"

namespace clgemm {

// Any number of threads may use one.
class ProgramUse {
 public:
  // The one of all programs of this process that are built from the same things, as `key` says.
  static std::shared_ptr<ProgramUse> of(const std::string& key);

  // A thread is about to launch a kernel; waits while the binary is being taken. False where that is over for
  // good, and end() need not be called.
  bool begin();

  // Nobody will ask for a binary: begin() returns false from now on.
  void do_without_binary() { is_over_ = true; }

  // The launch is enqueued, or was not made (a null event).
  void end(const cl::Event& launched);

  // The program's binary. The first call gets it from `take`, at a moment when no kernel of these programs is
  // being launched or under way, and begin() returns false ever after. Looks for such a moment without
  // holding up any launch, until `give_up` returns true; then the result is empty.
  std::vector<unsigned char> binary(const std::function<std::vector<unsigned char>()>& take,
                                    const std::function<bool()>& give_up);

 private:
  bool start_taking();
  void finish_taking(std::vector<unsigned char> binary);

  std::atomic<bool> is_over_{false};
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool is_taking_ = false;
  std::size_t launching_ = 0;
  std::list<cl::Event> under_way_;
  std::vector<unsigned char> binary_;
};

}  // namespace clgemm
