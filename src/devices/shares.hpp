// Distributes pieces of work to several devices, each at its own speed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

namespace clgemm {

// Each taker has a share of neighbouring pieces. When its share is done, it takes pieces from the end of the
// longest share. Any number of threads may use the same object.
template <class Piece>
class Shares {
 public:
  Shares(const std::vector<Piece>& pieces, std::size_t takers) : shares_(takers) {
    for (std::size_t i = 0; i < pieces.size(); ++i) shares_[i * takers / pieces.size()].push_back(pieces[i]);
  }

  // Returns nullopt if no piece is left.
  std::optional<Piece> next(std::size_t taker) {
    const std::lock_guard lock(mutex_);
    std::list<Piece>& own = shares_[taker];
    if (!own.empty()) {
      const Piece piece = own.front();
      own.pop_front();
      return piece;
    }
    std::list<Piece>& longest = *std::max_element(
        shares_.begin(), shares_.end(), [](const auto& x, const auto& y) { return x.size() < y.size(); });
    if (longest.empty()) return std::nullopt;
    const Piece piece = longest.back();
    longest.pop_back();
    return piece;
  }

 private:
  std::mutex mutex_;
  std::vector<std::list<Piece>> shares_;
};

}  // namespace clgemm
