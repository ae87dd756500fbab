// `--report DIR`: writes the page and the results as files. The page is template.html with the results in it.
#pragma once

#include <string>
#include <vector>

#include "common/sample_lines.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// Makes the folder if it is missing. This happens before the measurements, so that a folder that cannot be
// written is found early. Throws UsageError.
void make_report_folder(const std::string& folder);

// Writes index.html, which needs no other file and no network, and results.json. `json` is the output of
// clgemm-bench. `samples` is a file of clgemm-tune, or empty if there is none. Throws UsageError if there are
// no rows, and std::runtime_error if a file cannot be read or written.
void write_report_folder(const std::string& folder, const std::string& json, const std::string& samples = {});

// Returns the data of the page: the runs as in results.json, each with its name and its troubles in words.
// The text is safe inside a script element for any names in it.
std::string page_data(const std::vector<Results>& runs, const std::vector<SampleLine>& samples);

}  // namespace clgemm::bench
