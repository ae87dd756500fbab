// Results as JSON: an object with "run", what must be known of the run; "rows", one for every kernel and
// shape; and "summaries" of several shapes, one for each peer, which reading passes over. What was not
// measured or not checked is null. Several runs are an array of such objects.
//
// Read back, a key that is missing or null is an empty value, so that files of older versions still serve; so
// do arrays of rows that each have all of their run.
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

// The runs of all files, each with the name of its file, as one JSON text. Throws UsageError.
std::string join_files(const std::vector<std::string>& paths);

}  // namespace clgemm::bench
