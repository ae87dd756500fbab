#include "page/page_folder.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>

#include "common/usage_error.hpp"
#include "figures/results_json.hpp"
#include "page/page.hpp"
#include "page/svg.hpp"

namespace clgemm::bench {
namespace {

namespace fs = std::filesystem;

constexpr double width_in_papers = 640.0;

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("'{}' could not be written", path.string()));
}

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

// In the order of the page.
std::vector<Picture> pictures_of(const Results& results) {
  return {over_size(results), ladder(results), roofline(results), speed_up_over_peers(results),
          error_ratios(results)};
}

}  // namespace

void make_report_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    throw UsageError(fmt::format("--report: '{}' is no folder and cannot be made one", folder));
  }
}

void write_report_folder(const std::string& folder, const std::string& json) {
  const std::vector<Results> runs = parse_results(json, "the results");
  if (runs.empty()) throw UsageError("--report: there are no results");
  std::vector<DevicePage> pages;
  for (const Results& run : runs) {
    DevicePage page{each_kernel_once(run), {}};
    page.pictures = pictures_of(page.results);
    for (Picture& picture : page.pictures) {
      if (runs.size() > 1) picture.name = fmt::format("{}-{}", picture.name, file_name_of(run.facts.device));
      if (!picture.draw) continue;
      write_file(fs::path(folder) / (picture.name + ".svg"), standalone(picture.draw(width_in_papers)));
    }
    pages.push_back(std::move(page));
  }
  write_file(fs::path(folder) / "results.json", json);
  write_file(fs::path(folder) / "index.html", html_page(pages));
}

}  // namespace clgemm::bench
