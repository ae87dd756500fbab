// Handles Ctrl-C in a long run, or the end of its time. The report of the results so far is still useful.
#pragma once

namespace clgemm::bench {

// While such an object is alive, the first SIGINT, SIGTERM or SIGHUP is noted instead of ending the program.
// Another one that comes seconds later ends it. Batch systems and timeout(1) send SIGTERM, and SIGKILL some
// time later.
class InterruptNoted {
 public:
  InterruptNoted();
  ~InterruptNoted();
  InterruptNoted(const InterruptNoted&) = delete;
  InterruptNoted& operator=(const InterruptNoted&) = delete;
};

// Installs the handler again if such an object is alive. Some drivers (Intel's CPU runtime) replace the
// handler when they compile. Then two signals at once, as timeout(1) sends them, would end the program.
void note_interrupts_again();

// Returns true if a signal was noted since the program began.
bool interrupted();

// Returns the exit status of a program that such a signal has ended: 128 + its number, as in shells.
int interrupted_status();

}  // namespace clgemm::bench
