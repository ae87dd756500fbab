// Ctrl-C in a long run: what has been measured so far is still worth its report.
#pragma once

namespace clgemm::bench {

// While one of these lives, the first SIGINT is noted instead of ending the program; one that comes seconds
// later ends it.
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

// Whether it was noted, since the program began.
bool interrupted();

}  // namespace clgemm::bench
