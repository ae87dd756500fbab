// Every way through the library that the fault sweep goes. Whoever adds a way adds a row.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenario.hpp"

namespace clgemm::test {

// What a path promises when a command fails.
enum class Promise {
  // C is right, or there is an Error.
  right_or_error,
  // The same, but commands that wait for a failed one must fail, too: a call that hands out an event looks at
  // no command by itself.
  right_or_error_if_failures_spread,
  // C is right.
  right
};

struct Path {
  std::string name;
  std::vector<std::string> covers;  // public functions, as public_names.hpp writes them
  MakeScenario make;
  std::vector<std::pair<std::string, std::string>> environment = {};
  Promise promise = Promise::right_or_error;
};

const std::vector<Path>& all_paths();

// Public functions that no path makes fail, and why.
struct NotCovered {
  std::string name;
  std::string why;
};
const std::vector<NotCovered>& not_covered();

}  // namespace clgemm::test
