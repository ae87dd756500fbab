// `--report DIR`: the page, the pictures and the results as files.
#pragma once

#include <string>

namespace clgemm::bench {

// Makes the folder where it is missing, so that one that cannot be written is known before the work. Throws
// UsageError.
void make_report_folder(const std::string& folder);

// Writes index.html, results.json and a .svg for each picture. `json` is what clgemm-bench writes. Throws
// UsageError where it has no rows, std::runtime_error where a file cannot be written.
void write_report_folder(const std::string& folder, const std::string& json);

}  // namespace clgemm::bench
