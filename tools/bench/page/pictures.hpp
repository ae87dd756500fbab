// The pictures of one device's results.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "figures/rows.hpp"

namespace clgemm::bench {

struct Picture {
  std::string name;  // of its file, without .svg
  std::string heading;
  std::string caption;  // what it shows and how to read it
  std::string instead;  // why there is no picture; then nothing below
  std::function<std::string(double width)> draw;
};

// In the order of the page. What cannot be drawn from these rows has its reason in place of the picture.
std::vector<Picture> pictures_of(const std::vector<Row>& rows);

}  // namespace clgemm::bench
