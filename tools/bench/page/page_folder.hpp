// `--report DIR`: the page and the results as files.
#pragma once

#include <string>

namespace clgemm::bench {

// Makes the folder if it is missing, so that one that cannot be written is known before the work. Throws
// UsageError.
void make_report_folder(const std::string& folder);

// Writes index.html, which needs no other file and no network, and results.json beside it. `json` is what
// clgemm-bench writes, `samples` a file that clgemm-tune has written; empty: none. Throws UsageError if there
// are no rows, std::runtime_error if a file cannot be read or written.
void write_report_folder(const std::string& folder, const std::string& json, const std::string& samples = {});

}  // namespace clgemm::bench
