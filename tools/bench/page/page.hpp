// The page of a report: one HTML file that needs no other, with the pictures in it, for light and dark
// screens.
#pragma once

#include <string>
#include <vector>

#include "figures/results.hpp"
#include "page/pictures.hpp"

namespace clgemm::bench {

// All that the page shows of one device.
struct DevicePage {
  std::string name;  // of its place on the page, and what tells its files from those of other runs; empty:
                     // the only one
  std::string title;
  Results results;
  std::vector<Picture> pictures;  // their names are those of the SVG files
};

// `together`: pictures of all of them.
std::string html_page(const std::vector<DevicePage>& devices, const std::vector<Picture>& together);

// The parts of it: key figures and facts about the run; every figure in a table.
std::string html_summary(const Results& results, const std::string& title);
std::string html_table(const Results& results);

}  // namespace clgemm::bench
