// Results as JSON: an object with the members "run", "rows" and "summaries". The first has the facts of the
// run. The rows are one for every kernel and shape. The summaries cover several shapes, one for each peer,
// and are ignored when the file is read. A value that was not measured or not checked is null. Several runs
// are an array of such objects.
//
// A row also has the figures by which it is compared with others at the same shape. The member "rate" is in
// GFLOPS by the one clock that all of them have. The member "best" is true if no other one is faster in fp32
// beyond the noise.
//
// A key that is missing or null is read as an empty value, so that files of older versions still work. Arrays
// of rows that each repeat the facts of their run work, too.
#pragma once

#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "figures/results.hpp"

namespace clgemm::bench {

void write_json(std::ostream& out, const Results& results);

// Writes the rows as CSV (RFC 4180), with a column for each key, such as `median_ms`, `clblast_median_ms` for
// a peer, and `device`. A value that was not measured is empty. The samples are left out.
void write_csv(std::ostream& out, const Results& results);

// Returns the runs in a JSON text. Runs are told apart by device and date, because only figures of one run
// can be compared. A peer that ran at no shape of a run is listed as missing in it. Throws UsageError, which
// names `where`, if the text is not a result of the bench.
std::vector<Results> parse_results(std::string_view json, const std::string& where);

// Returns this name, with " (2)" and so on at the end if it is taken. Then it is taken, too.
std::string unique_name(const std::string& plain, std::set<std::string>& taken);

// Returns the runs in a file. Throws UsageError.
std::vector<Results> read_results(const std::string& path);

// Returns the runs of all files as one JSON text. Each run has the name of its file. Throws UsageError.
std::string join_files(const std::vector<std::string>& paths);

}  // namespace clgemm::bench
