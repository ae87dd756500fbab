// The names of a picture's series, in as many lines as they need.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "page/svg.hpp"

namespace clgemm::bench {

using LegendEntries = std::vector<std::pair<std::string, SeriesStyle>>;

// From `top` down. Returns the place below it.
double draw_legend(Svg& svg, const LegendEntries& entries, double top, bool with_lines);

// Text that fits into this width: the middle of a longer one is "...", for its end tells it from others, too.
std::string shortened(const std::string& text, double width);

}  // namespace clgemm::bench
