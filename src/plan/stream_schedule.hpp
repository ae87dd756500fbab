// What a device does for the rounds of a StreamPlan, in which order: which blocks it brings into which of its
// places, and which tile it multiplies by them. Numbers only; carried out to the letter.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "plan/stream_plan.hpp"

namespace clgemm {

// A rectangle of tiles.
struct Round {
  std::size_t row = 0;
  std::size_t column = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
};

// All rounds of the plan, strip by strip.
std::vector<Round> rounds_of(const StreamPlan& plan);

enum class Matrix { a, b, c };

// A block comes to a place. Of A: `line` is its row of tiles, `other` its depth; of B: its column of tiles
// and its depth; of C: the tile's row and column.
struct Upload {
  Matrix matrix = Matrix::a;
  std::size_t line = 0;
  std::size_t other = 0;
  std::size_t place = 0;
  std::optional<std::size_t> after;  // the last step that needs what was there
};

// C(row, column) <- A(row, depth) B(depth, column) + what is there already.
struct StreamStep {
  std::size_t row = 0;
  std::size_t column = 0;
  std::size_t depth = 0;
  std::size_t place_of_a = 0;
  std::size_t place_of_b = 0;
  std::size_t place_of_c = 0;
  std::size_t uploads = 0;             // that must be under way before it
  std::optional<std::size_t> c_after;  // for a tile's first step: the last one of the tile that was there
  bool is_last = false;                // of its tile
};

class StreamSchedule {
 public:
  // With `reads_c`, tiles of C are brought, too.
  StreamSchedule(const StreamPlan& plan, bool reads_c);

  // Goes on with this round. Blocks that are still there are not brought again.
  void add(const Round& round);

  const std::vector<Upload>& uploads() const { return uploads_; }
  const std::vector<StreamStep>& steps() const { return steps_; }

 private:
  // The places for one matrix's blocks, of which the one that was not used for longest is taken.
  struct Places {
    struct Place {
      std::optional<std::tuple<std::size_t, std::size_t>> block;
      std::optional<std::size_t> last_step;
    };
    std::vector<Place> all;
    std::map<std::tuple<std::size_t, std::size_t>, std::size_t> found;
  };

  void add_step(std::size_t row, std::size_t column, std::size_t depth);
  // The place of the block, which is brought there where it is not; for the next step.
  std::size_t place_for(Matrix matrix, std::size_t line, std::size_t other);
  Places& places(Matrix matrix) { return places_[static_cast<std::size_t>(matrix)]; }

  StreamPlan plan_;
  bool reads_c_;
  Places places_[3];
  std::vector<Upload> uploads_;
  std::vector<StreamStep> steps_;
};

}  // namespace clgemm
