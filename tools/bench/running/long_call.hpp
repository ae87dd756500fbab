// Reports the progress of a call that takes long.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace clgemm::bench {

// Tells the user what is under way.
using Tell = std::function<void(const std::string&)>;

// Reports `text`, and makes the call. If the call takes longer than `interval`, the time so far is reported
// repeatedly, with the part that it is of `expected_ms`, the time of the last call. `expected_ms` is 0 if it
// is unknown. No thread is started for a call that is known to be shorter.
void call_telling(const Tell& tell, const std::string& text, double expected_ms,
                  const std::function<void()>& call,
                  std::chrono::milliseconds interval = std::chrono::seconds(1));

}  // namespace clgemm::bench
