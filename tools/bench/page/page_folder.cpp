#include "page/page_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "common/usage_error.hpp"
#include "common/whole_file.hpp"
#include "figures/results_json.hpp"
#include "page/page.hpp"
#include "page/svg.hpp"

namespace clgemm::bench {
namespace {

namespace fs = std::filesystem;

constexpr double width_in_papers = 640.0;

// Letters and digits, in lower case, with one dash for all that lies between them.
std::string file_name_of(const std::string& device) {
  std::string name;
  for (const char character : device) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x80 && std::isalnum(byte) != 0) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  if (!name.empty() && name.back() == '-') name.pop_back();
  return name.substr(0, 60);
}

// What tells runs apart that are on one page: the device, then what else differs.
std::string title_of(const Results& run) {
  std::string title = run.facts.device;
  if (run.precision == Precision::fp32) title += ", fp32 units alone";
  const Case* first = run.shapes.empty() ? nullptr : &run.shapes.front();
  if (first != nullptr && first->kind.batch_count > 1) title += ", batches";
  return title;
}

// Each different, whatever the devices are called.
std::vector<std::string> different_names(const std::vector<Results>& runs) {
  std::vector<std::string> names;
  for (const Results& run : runs) {
    const std::string plain = file_name_of(title_of(run));
    std::string name = plain;
    for (int number = 2; std::find(names.begin(), names.end(), name) != names.end(); ++number) {
      name = fmt::format("{}-{}", plain, number);
    }
    names.push_back(name);
  }
  return names;
}

constexpr std::size_t day = 10;  // letters of "2026-11-22T08:36:44Z"
constexpr std::size_t minute = 16;

// Runs of one name by what they are of, and when they were made.
std::string long_title_of(const Results& run, std::size_t letters_of_date) {
  std::string date = run.facts.date.substr(0, letters_of_date);
  std::replace(date.begin(), date.end(), 'T', ' ');
  return fmt::format("{}: {}{}{}{}", title_of(run), run.shapes.size(),
                     run.shapes.size() == 1 ? " shape" : " shapes", date.empty() ? "" : ", ", date);
}

// The titles of the page, which say which is which: those of one day by the minute, where that is needed.
std::vector<std::string> different_titles(const std::vector<Results>& runs) {
  if (runs.size() == 1) return {runs.front().facts.device};
  std::vector<std::string> by_day;
  for (const Results& run : runs) by_day.push_back(long_title_of(run, day));
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool alone = std::count(by_day.begin(), by_day.end(), by_day[i]) == 1;
    const std::string plain = alone ? by_day[i] : long_title_of(runs[i], minute);
    std::string title = plain;
    for (int number = 2; std::find(titles.begin(), titles.end(), title) != titles.end(); ++number) {
      title = fmt::format("{}, {}", plain, number);
    }
    titles.push_back(std::move(title));
  }
  return titles;
}

void write_picture(const fs::path& folder, const Picture& picture) {
  if (picture.draw)
    write_whole((folder / (picture.name + ".svg")).string(), standalone(picture.draw(width_in_papers)));
}

// In the order of the page.
std::vector<Picture> pictures_of(const Results& results) {
  return {over_size(results),           ladder(results),      roofline(results), speed_up_over_work(results),
          speed_up_over_peers(results), error_ratios(results)};
}

// Whether an earlier report lies there: then another one may take its place.
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
  const std::vector<std::string> names = different_names(runs);
  const std::vector<std::string> titles = different_titles(runs);
  std::vector<DevicePage> pages;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    DevicePage page{names[i], titles[i], each_kernel_once(runs[i]), {}};
    page.pictures = pictures_of(page.results);
    for (Picture& picture : page.pictures) {
      if (runs.size() > 1) picture.name = fmt::format("{}-{}", picture.name, page.name);
      write_picture(folder, picture);
    }
    pages.push_back(std::move(page));
  }
  std::vector<std::pair<std::string, const Results*>> named_runs;
  for (const DevicePage& page : pages) named_runs.emplace_back(page.title, &page.results);
  std::vector<Picture> together = {runs_over_size(named_runs), rates_over_devices(named_runs)};
  if (!samples.empty()) {
    const TuningSamples tuned = tuning_samples(read_sample_lines(samples));
    together.push_back(regret_over_work(tuned));
    together.push_back(tuning_space(tuned));
  }
  for (const Picture& picture : together) write_picture(folder, picture);
  write_whole((fs::path(folder) / "index.html").string(),
              html_page(pages, together));  // says whose folder it is
  write_whole((fs::path(folder) / "results.json").string(), json);
}

}  // namespace clgemm::bench
