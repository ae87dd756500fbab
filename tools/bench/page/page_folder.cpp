#include "page/page_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "common/usage_error.hpp"
#include "common/whole_file.hpp"
#include "figures/results_json.hpp"
#include "page/page_data.hpp"
#include "page_template.hpp"

namespace clgemm::bench {
namespace {

namespace fs = std::filesystem;

// Returns true if the folder has an earlier report, which may be replaced.
bool is_report(const fs::path& folder) {
  std::ifstream page(folder / "index.html");
  std::string line;
  while (std::getline(page, line)) {
    if (line.find("content=\"clgemm-bench\"") != std::string::npos) return true;
    if (line.find("</head>") != std::string::npos) return false;
  }
  return false;
}

}  // namespace

void make_report_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    throw UsageError(fmt::format("--report: '{}' is no folder and cannot be made one", folder));
  }
  const bool is_free =
      !fs::exists(fs::path(folder) / "index.html") && !fs::exists(fs::path(folder) / "results.json");
  if (is_free || is_report(folder)) return;
  throw UsageError(fmt::format(
      "--report: '{}' has an index.html or results.json that no report of clgemm-bench has left there",
      folder));
}

void write_report_folder(const std::string& folder, const std::string& json, const std::string& samples) {
  const std::vector<Results> runs = parse_results(json, "the results");
  if (runs.empty()) throw UsageError("--report: there are no results");
  std::optional<TuningSamples> tuned;
  if (!samples.empty()) tuned = tuning_samples(read_sample_lines(samples));
  std::string page = page_template;
  constexpr std::string_view place = "@data@";
  page.replace(page.find(place), place.size(), page_data(runs, tuned ? &*tuned : nullptr));
  write_whole((fs::path(folder) / "index.html").string(), page);  // marks the folder as a report
  write_whole((fs::path(folder) / "results.json").string(), json);
}

}  // namespace clgemm::bench
