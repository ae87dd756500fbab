// The work of a device for the rounds of a StreamPlan, in order: which blocks it brings to which of its
// places, and which tile it computes from them. It consists of numbers only and is carried out exactly.
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

// Returns all rounds of the plan, strip by strip.
std::vector<Round> rounds_of(const StreamPlan& plan);

enum class Matrix { a, b, c };

// Brings a block to a place. For A, `line` is its row of tiles and `other` its depth. For B, they are its
// column of tiles and its depth. For C, they are the tile's row and column.
struct Upload {
  Matrix matrix = Matrix::a;
  std::size_t line = 0;
  std::size_t other = 0;
  std::size_t place = 0;
  std::optional<std::size_t> after;  // the last step that needs the previous content of the place
};

// C(row, column) <- A(row, depth) B(depth, column), added to the earlier content unless this is the first
// depth.
struct StreamStep {
  std::size_t row = 0;
  std::size_t column = 0;
  std::size_t depth = 0;
  std::size_t place_of_a = 0;
  std::size_t place_of_b = 0;
  std::size_t place_of_c = 0;
  std::size_t uploads = 0;             // number of uploads that must have started before this step
  std::optional<std::size_t> c_after;  // for a tile's first step: the last step of the former tile
  bool is_last = false;                // the last step of its tile
};

class StreamSchedule {
 public:
  // With `reads_c`, tiles of C are brought to the device, too.
  StreamSchedule(const StreamPlan& plan, bool reads_c);

  // Adds a round. Blocks that are still on the device are not brought again.
  void add(const Round& round);

  const std::vector<Upload>& uploads() const { return uploads_; }
  const std::vector<StreamStep>& steps() const { return steps_; }

 private:
  // The places for the blocks of one matrix. A new block takes the place that has been unused for longest.
  struct Places {
    struct Place {
      std::optional<std::tuple<std::size_t, std::size_t>> block;
      std::optional<std::size_t> last_step;
    };
    std::vector<Place> all;
    std::map<std::tuple<std::size_t, std::size_t>, std::size_t> found;
  };

  void add_step(std::size_t row, std::size_t column, std::size_t depth);
  // Returns the place of the block for the next step. If the block is not on the device, it is brought there.
  std::size_t place_for(Matrix matrix, std::size_t line, std::size_t other);
  Places& places(Matrix matrix) { return places_[static_cast<std::size_t>(matrix)]; }

  StreamPlan plan_;
  bool reads_c_;
  Places places_[3];
  std::vector<Upload> uploads_;
  std::vector<StreamStep> steps_;
};

}  // namespace clgemm
