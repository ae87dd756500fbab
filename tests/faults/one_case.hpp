// The process that makes the calls of one path, for another one that asks for them and counts.
#pragma once

#include "paths.hpp"

namespace clgemm::test {

// Reads requests from the standard input, one a line, and answers each by a line on the standard output:
//   count I           -> the Counts of a call without faults, in the I-th of all_settings(); "none" and why,
//   if
//                        there is no such device as the path wants
//   case CASE         -> "right", "error" or "skipped", then "missed" if no call failed, and the complaints,
//   each
//                        behind a "|"
//   check             -> "right" if a later process is right on the same cache, or "wrong"
//   end               -> "clean", or "leaks" and what is left
// Ends behind `end`, and behind a case whose answer begins with "last", for this process is no use then.
int serve(const Path& path, const std::string& program);

}  // namespace clgemm::test
