#include "clblast/summary.hpp"

#include <errno.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <string>

#include "base/environment.hpp"

namespace clgemm::clblast_names {
namespace {

std::mutex mutex;  // for the variables below
unsigned long calls = 0;
unsigned long batches = 0;
std::size_t in_batches = 0;
unsigned long passed_on = 0;
std::string& first_reason = *new std::string;  // outlives objects that are destroyed before the summary
pid_t counting = 0;  // a child of fork() inherits the counts but does not report them

void count_of_this_process() {
  if (counting == 0) counting = ::getpid();
}

__attribute__((destructor)) void write_summary() {
  const std::lock_guard lock(mutex);
  if (counting != ::getpid() || environment("CLGEMM_CLBLAST_LOG") != "summary") return;
  std::fprintf(stderr, "clgemm_clblast: %s: clgemm computed %lu SGEMM calls", program_invocation_short_name,
               calls);
  if (batches != 0)
    std::fprintf(stderr, ", including %lu batches with %zu GEMMs in total", batches, in_batches);
  std::fputc('\n', stderr);
  if (passed_on != 0)
    std::fprintf(stderr, "clgemm_clblast: %lu calls were passed on to CLBlast, the first because %s\n",
                 passed_on, first_reason.c_str());
}

}  // namespace

void count_call(std::size_t gemms) {
  const std::lock_guard lock(mutex);
  count_of_this_process();
  ++calls;
  if (gemms == 1) return;
  ++batches;
  in_batches += gemms;
}

void count_passed_on(const char* why) {
  const std::lock_guard lock(mutex);
  count_of_this_process();
  if (passed_on++ == 0) first_reason = why;
}

}  // namespace clgemm::clblast_names
