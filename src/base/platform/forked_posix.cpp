// fork() runs a handler in the child, which marks it as a child. Asking for the process number instead would
// be a system call in every call.
#include "base/forked.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <clgemm/error.hpp>
#include <new>

namespace clgemm {
namespace {

enum class Claim { none, ours, of_parent };
std::atomic<Claim> claim{Claim::none};
std::atomic<pid_t> owner{0};  // the process that claimed OpenCL first

void inherit_claim() noexcept {
  Claim expected = Claim::ours;
  claim.compare_exchange_strong(expected, Claim::of_parent);
}

// Installs the handler before any claim is made, so that no child misses a claim.
void watch_for_forks() {
  static const int status = ::pthread_atfork(nullptr, nullptr, &inherit_claim);
  if (status != 0) throw std::bad_alloc();
}

}  // namespace

void claim_process() {
  if (claim == Claim::ours) return;
  watch_for_forks();
  Claim expected = Claim::none;
  if (claim.compare_exchange_strong(expected, Claim::ours)) {
    owner = ::getpid();
    return;
  }
  if (expected == Claim::ours) return;
  throw Error(
      ErrorCode::forked_process,
      fmt::format("this process ({}) was forked from a process ({}) that had used clgemm. The threads of the "
                  "OpenCL driver do not exist in this process, so it cannot make calls. Fork before the "
                  "first use, or start a new program (in Python: multiprocessing's 'spawn')",
                  ::getpid(), owner.load()));
}

bool is_forked_child() noexcept {
  return claim == Claim::of_parent;
}

}  // namespace clgemm
