// "did you mean": finds the known name that was probably intended.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace clgemm {

// Returns how many letters must be inserted, removed, replaced, or exchanged with their neighbour.
inline std::size_t edits_between(std::string_view one, std::string_view other) {
  const std::size_t width = other.size() + 1;
  // For the first i letters of `one`, and j of `other`.
  std::vector<std::size_t> edits((one.size() + 1) * width);
  const auto of = [&](std::size_t i, std::size_t j) -> std::size_t& { return edits[i * width + j]; };
  for (std::size_t i = 0; i <= one.size(); ++i) {
    for (std::size_t j = 0; j <= other.size(); ++j) {
      of(i, j) = i + j;
      if (i == 0 || j == 0) continue;
      const std::size_t exchanged = of(i - 1, j - 1) + (one[i - 1] == other[j - 1] ? 0 : 1);
      of(i, j) = std::min({of(i - 1, j) + 1, of(i, j - 1) + 1, exchanged});
      const bool turned = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (turned) of(i, j) = std::min(of(i, j), of(i - 2, j - 2) + 1);
    }
  }
  return of(one.size(), other.size());
}

// Returns the only name that begins with this text; null if none or several do.
inline const std::string* only_one_that_begins_with(std::string_view begin,
                                                    const std::vector<std::string>& known) {
  const std::string* found = nullptr;
  for (const std::string& one : known) {
    if (begin.size() < 2 || !one.starts_with(begin) || one.size() == begin.size()) continue;
    if (found != nullptr) return nullptr;
    found = &one;
  }
  return found;
}

// Returns "; did you mean 'tiled'?", or nothing if no name is near. A name is near if at most a third of its
// letters differ, or if only its end is missing.
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
  if (nearest == nullptr) nearest = only_one_that_begins_with(name, known);
  return nearest == nullptr ? "" : "; did you mean '" + *nearest + "'?";
}

}  // namespace clgemm
