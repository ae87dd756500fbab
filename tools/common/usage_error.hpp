// What the command line of a program did wrong.
#pragma once

#include <stdexcept>

namespace clgemm::bench {

// The command line makes no sense; the text says which part and what would.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace clgemm::bench
