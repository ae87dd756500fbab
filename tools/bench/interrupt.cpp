#include "interrupt.hpp"

#include <csignal>

namespace clgemm::bench {
namespace {

volatile std::sig_atomic_t noted = 0;

void note(int /*signal*/) {
  noted = 1;
}

}  // namespace

InterruptNoted::InterruptNoted() {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
}

InterruptNoted::~InterruptNoted() {
  std::signal(SIGINT, SIG_DFL);
}

bool interrupted() {
  return noted != 0;
}

}  // namespace clgemm::bench
