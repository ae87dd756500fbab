// Results as JSON: an array with an object for every kernel and shape, each with all that must be known of
// its run, so that any part of a file still says what it is. What was not measured or not checked is null. Of
// several shapes, the last objects are summaries, one for each peer; reading passes them over.
//
// Read back, a key that is missing or null is an empty value, so that files of older versions still serve.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "figures/results.hpp"

namespace clgemm::bench {

void write_json(std::ostream& out, const Results& results);

// The runs in a JSON text, told apart by device and date, for only figures of one run compare. A peer that
// ran at no shape of a run is missing in it. Throws UsageError, which names `where`, for what is no result of
// the bench.
std::vector<Results> parse_results(std::string_view json, const std::string& where);

// Those of a file. Throws UsageError.
std::vector<Results> read_results(const std::string& path);

// The rows of all files, one after the other, as one JSON array. Throws UsageError.
std::string join_files(const std::vector<std::string>& paths);

}  // namespace clgemm::bench
