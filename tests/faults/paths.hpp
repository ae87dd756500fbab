// The paths through the library that the fault sweep tests. A new path needs a row here.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenario.hpp"

namespace clgemm::test {

// The promise of a path for a command that fails.
enum class Promise {
  // C is right, or there is an Error.
  right_or_error,
  // The same, but only if commands that wait for a failed one fail, too. A call that returns an event does
  // not check its commands itself.
  right_or_error_if_failures_spread,
  // C is right.
  right
};

struct Path {
  std::string name;
  std::vector<std::string> covers;  // public functions, in the form of public_names.hpp
  MakeScenario make;
  std::vector<std::pair<std::string, std::string>> environment = {};
  Promise promise = Promise::right_or_error;
};

const std::vector<Path>& all_paths();

// Public functions that no path lets fail, with the reason.
struct NotCovered {
  std::string name;
  std::string why;
};
const std::vector<NotCovered>& not_covered();

}  // namespace clgemm::test
