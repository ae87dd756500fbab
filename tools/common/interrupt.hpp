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

// Whether it was noted, since the program began.
bool interrupted();

}  // namespace clgemm::bench
