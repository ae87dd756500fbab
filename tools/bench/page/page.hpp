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
  Results results;
  std::vector<Picture> pictures;  // their names are those of the SVG files
};

std::string html_page(const std::vector<DevicePage>& devices);

// The parts of it: key figures and facts about the run; every figure in a table.
std::string html_summary(const Results& results);
std::string html_table(const Results& results);

}  // namespace clgemm::bench
