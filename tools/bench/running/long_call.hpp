// A call that takes long says how far it is.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace clgemm::bench {

using Tell = std::function<void(const std::string&)>;

// Tells `text`, and calls. Where the call takes longer than `interval`, tells again and again how long it has
// taken, and what part this is of `expected_ms`, which the last one took; 0: nobody knows. No thread is
// started for a call that is known to be shorter.
void call_telling(const Tell& tell, const std::string& text, double expected_ms,
                  const std::function<void()>& call,
                  std::chrono::milliseconds interval = std::chrono::seconds(1));

}  // namespace clgemm::bench
