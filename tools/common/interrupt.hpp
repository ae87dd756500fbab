// Ctrl-C in a long run, or the end of its time: what has been measured so far is still worth its report.
#pragma once

namespace clgemm::bench {

// While one of these lives, the first SIGINT, SIGTERM or SIGHUP is noted instead of ending the program; one
// that comes seconds later ends it. Batch systems and timeout(1) send SIGTERM, and SIGKILL some time later.
class InterruptNoted {
 public:
  InterruptNoted();
  ~InterruptNoted();
  InterruptNoted(const InterruptNoted&) = delete;
  InterruptNoted& operator=(const InterruptNoted&) = delete;
};

// Again, where one of these lives: some drivers (Intel's CPU runtime) take the signal for themselves when
// they compile, and two at once, as timeout(1) sends them, then end the program.
void note_interrupts_again();

// Whether one was noted, since the program began.
bool interrupted();

// The exit status of a program that such a signal has ended, as a shell says it: 128 + its number.
int interrupted_status();

}  // namespace clgemm::bench
