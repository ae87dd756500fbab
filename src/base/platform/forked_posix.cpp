#include "base/forked.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <clgemm/error.hpp>

namespace clgemm {
namespace {

std::atomic<pid_t> owner{0};  // the process that claimed OpenCL; children inherit the number

}  // namespace

void claim_process() {
  const pid_t us = ::getpid();
  pid_t known = 0;
  if (owner.compare_exchange_strong(known, us) || known == us) return;
  throw Error(
      ErrorCode::forked_process,
      fmt::format("this process ({}) was forked from one that had used clgemm ({}): the threads of its "
                  "OpenCL driver are not here, so that no call can be made. Fork before the first use, "
                  "or start a new program (in Python: multiprocessing's 'spawn')",
                  us, known));
}

bool is_forked_child() noexcept {
  const pid_t known = owner;
  return known != 0 && known != ::getpid();
}

}  // namespace clgemm
