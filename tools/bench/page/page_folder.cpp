#include "page/page_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "common/usage_error.hpp"
#include "common/whole_file.hpp"
#include "figures/results_json.hpp"
#include "figures/summary.hpp"
#include "page_template.hpp"

namespace clgemm::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

}  // namespace

void make_report_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    throw UsageError(fmt::format("--report: '{}' is not a folder and cannot be created", folder));
  }
  const fs::path page = fs::path(folder) / "index.html";
  const bool is_free = !fs::exists(page) && !fs::exists(fs::path(folder) / "results.json");
  const bool is_report = fs::is_regular_file(page) &&
                         read_whole(page.string()).find("content=\"clgemm-bench\"") != std::string::npos;
  if (is_free || is_report) return;
  throw UsageError(fmt::format(
      "--report: '{}' has an index.html or results.json that clgemm-bench did not write", folder));
}

std::string page_data(const std::vector<Results>& runs, const std::vector<SampleLine>& samples) {
  Json data = {{"runs", Json::array()}, {"samples", Json::array()}};
  std::set<std::string> taken;
  for (const Results& run : runs) {
    std::ostringstream text;
    write_json(text, run);
    Json& object = data["runs"].emplace_back(Json::parse(text.str()));
    object["name"] = unique_name(run.file.empty() ? run.facts.device : run.file, taken);
    object["own"] = own_title(run);
    object["devices"] = run.facts.devices();
    object["troubles"] = troubles_of(run);
  }
  for (const SampleLine& one : samples)
    data["samples"].push_back(
        {one.m, one.n, one.k, one.batch, one.config, one.seconds, one.predicted, one.transposes});
  std::string text;
  for (const char character : data.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (character == '<' || character == '>' || character == '&') {
      text += fmt::format("\\u{:04x}", character);  // these occur only inside JSON strings
    } else {
      text += character;
    }
  }
  return text;
}

void write_report_folder(const std::string& folder, const std::string& json, const std::string& samples) {
  const std::vector<Results> runs = parse_results(json, "the results");
  if (runs.empty()) throw UsageError("--report: there are no results");
  std::string page = page_template;
  constexpr std::string_view place = "@data@";
  page.replace(page.find(place), place.size(),
               page_data(runs, samples.empty() ? std::vector<SampleLine>{} : read_sample_lines(samples)));
  write_whole((fs::path(folder) / "index.html").string(), page);  // marks the folder as a report
  write_whole((fs::path(folder) / "results.json").string(), json);
}

}  // namespace clgemm::bench
