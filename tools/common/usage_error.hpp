// Errors in the command line of a program.
#pragma once

#include <stdexcept>

namespace clgemm::bench {

// The command line is invalid. The text says which part, and what would be valid.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace clgemm::bench
