// The columns of the table for people: what each shows of a kernel or a peer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/text_table.hpp"
#include "figures/results.hpp"

namespace clgemm::bench {

// One line of the table, of a kernel or of a peer.
struct MeasuredLine {
  std::string name;
  std::string parameters;  // or version
  const Measurement& measured;
  const std::optional<FirstCall>& first_call;
  bool passed;
};

using LineCell = std::function<std::string(const MeasuredLine&)>;

struct MeasuredColumn {
  TextColumn head;
  LineCell cell;
};

using MeasuredColumns = std::vector<MeasuredColumn>;

// Those that this run has figures for. They look into `results` and `size`, which must outlive them.
MeasuredColumns columns_for(const Results& results, const SizeResult& size);

}  // namespace clgemm::bench
