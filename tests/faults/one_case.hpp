// The process that makes the calls of one path, at the request of another process, which counts.
#pragma once

#include "paths.hpp"

namespace clgemm::test {

// Reads requests from standard input, one in each line, and answers each with a line on standard output:
//
//     count I      the Counts of a call without faults, in the I-th of all_settings(); "none" and the reason,
//                  if the machine has no device that the path needs
//     case CASE    "right", "error" or "skipped", then "missed" if no call failed, then the complaints, each
//                  after a "|"
//     check        "right" if a later process is right on the same cache, or "wrong"
//     end          "clean", or "leaks" and what is left
//
// Ends after `end`. Also ends after a case whose answer begins with "last", because this process is of no
// more use then.
int serve(const Path& path, const std::string& program);

}  // namespace clgemm::test
