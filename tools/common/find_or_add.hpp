// Lists in which nothing occurs twice.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace clgemm::bench {

// Returns the element of the list that is the same as this one. If there is none, adds this one at the end.
template <class Element, class Same = std::equal_to<>>
Element& find_or_add(std::vector<Element>& all, Element one, const Same& same = {}) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Element& other) { return same(other, one); });
  return found == all.end() ? all.emplace_back(std::move(one)) : *found;
}

}  // namespace clgemm::bench
