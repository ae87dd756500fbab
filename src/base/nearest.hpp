// "did you mean": of names that are known, the one that was probably meant.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace clgemm {

// How many letters must be put in, left out, exchanged for another one, or with their neighbour.
inline std::size_t edits_between(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(other.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::vector<std::size_t> row(other.size() + 1, i);
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t exchanged = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, exchanged});
      const bool turned = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (turned) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::move(last);
    last = std::move(row);
  }
  return last.back();
}

// "; did you mean 'tiled'?", or nothing where no name is near: a third of its letters may differ.
inline std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::string* nearest = nullptr;
  std::size_t least = name.size() / 3 + 1;
  for (const std::string& one : known) {
    const std::size_t edits = edits_between(name, one);
    if (edits < least || (edits == least && nearest == nullptr && edits == 1 && name.size() > 1)) {
      least = edits;
      nearest = &one;
    }
  }
  return nearest == nullptr ? "" : "; did you mean '" + *nearest + "'?";
}

}  // namespace clgemm
