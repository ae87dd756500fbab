#include "common/interrupt.hpp"

#include <csignal>
#include <ctime>

namespace clgemm::bench {
namespace {

// What stands in front of the program, such as timeout(1), sends the signal to the program and to its group:
// two within a moment are one.
constexpr std::time_t one_interrupt_s = 1;

constexpr int noted_signals[] = {SIGINT, SIGTERM, SIGHUP};

bool noting = false;
volatile std::sig_atomic_t noted = 0;  // the first signal
volatile std::time_t noted_at = 0;

// Calls nothing that a signal handler must not call.
void note(int signal) {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (noted != 0 && now.tv_sec - noted_at > one_interrupt_s) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (noted != 0) return;
  noted_at = now.tv_sec;
  noted = signal;
}

}  // namespace

InterruptNoted::InterruptNoted() {
  noting = true;
  note_interrupts_again();
}

InterruptNoted::~InterruptNoted() {
  noting = false;
  for (const int signal : noted_signals) std::signal(signal, SIG_DFL);
}

void note_interrupts_again() {
  if (!noting) return;
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  for (const int signal : noted_signals) sigaction(signal, &action, nullptr);
}

bool interrupted() {
  return noted != 0;
}

int interrupted_status() {
  return 128 + noted;
}

}  // namespace clgemm::bench
