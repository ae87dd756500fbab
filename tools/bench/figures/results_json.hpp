// Results as JSON: an object with the members "run", "rows" and "summaries". The first has the facts of the
// run. The rows are one for every kernel and shape. The summaries cover several shapes, one for each peer,
// and are ignored when the file is read. A value that was not measured or not checked is null. Several runs
// are an array of such objects.
//
// A key that is missing or null is read as an empty value, so that files of older versions still work. Arrays
// of rows that each repeat the facts of their run work, too.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "figures/results.hpp"

namespace clgemm::bench {

void write_json(std::ostream& out, const Results& results);

// Returns the runs in a JSON text. Runs are told apart by device and date, because only figures of one run
// can be compared. A peer that ran at no shape of a run is listed as missing in it. Throws UsageError, which
// names `where`, if the text is not a result of the bench.
std::vector<Results> parse_results(std::string_view json, const std::string& where);

// Returns the runs in a file. Throws UsageError.
std::vector<Results> read_results(const std::string& path);

// Returns the runs of all files as one JSON text. Each run has the name of its file. Throws UsageError.
std::string join_files(const std::vector<std::string>& paths);

}  // namespace clgemm::bench
