#include "common/interrupt.hpp"

#include <csignal>

#include "base/platform/process.hpp"

namespace clgemm::bench {
namespace {

// A program that starts this one, such as timeout(1), sends the signal to the process and to its group. So
// two signals within this time count as one.
constexpr long long one_interrupt_s = 1;

bool noting = false;
volatile std::sig_atomic_t noted = 0;  // the first signal
volatile long long noted_at = 0;

// Calls only what a signal handler may call.
void note(int signal) {
  const long long now = seconds_of_monotonic_clock();
  if (noted != 0 && now - noted_at > one_interrupt_s) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (noted != 0) return;
  noted_at = now;
  noted = signal;
}

}  // namespace

InterruptNoted::InterruptNoted() {
  noting = true;
  note_interrupts_again();
}

InterruptNoted::~InterruptNoted() {
  noting = false;
  let_interrupts_end_us();
}

void note_interrupts_again() {
  if (!noting) return;
  note_interrupts(note);
}

bool interrupted() {
  return noted != 0;
}

int interrupted_status() {
  return 128 + noted;
}

}  // namespace clgemm::bench
