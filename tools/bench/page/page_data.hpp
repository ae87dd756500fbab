// The results of one device by shape and by name, as pictures and tables want them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "figures/rows.hpp"
#include "page/chart_style.hpp"

namespace clgemm::bench {

// All that ran at one shape, clgemm's choice and the kernels in the order in which they ran.
struct ShapeRows {
  const Row* any = nullptr;  // for the shape itself
  std::vector<const Row*> kernels;
  std::vector<PeerRow> peers;

  // What speaks for clgemm here: its own choice, else the fastest kernel. Null where nothing was measured.
  const Row* own() const;
  const PeerRow* peer(const std::string& name) const;
};

struct DeviceRows {
  std::vector<ShapeRows> shapes;     // in the order of the rows
  std::vector<std::string> kernels;  // all titles, in the order of the rows; "clgemm" first
  std::vector<std::string> peers;    // keys of those that were measured somewhere
  std::vector<PeerRow> missing;      // those that were measured nowhere, with the reason
  std::optional<CeilingRow> ceilings;

  SeriesStyles styles() const;
};

// Where the same kernel ran twice at a shape, the later row counts.
DeviceRows by_shape(const std::vector<Row>& rows);

// The rows of each run, for only figures of one run compare: of one device and date, in the order in which
// they appear.
std::vector<std::vector<Row>> by_run(const std::vector<Row>& rows);

// The shape at which most kernels were measured, the largest of those: where the ladder is shown. Null where
// no shape has two kernels.
const ShapeRows* ladder_shape(const DeviceRows& device);

// How many results were checked, kernels and peers together, and how many of them are right.
struct Checks {
  std::size_t checked = 0;
  std::size_t passed = 0;
};
Checks checks_of(const DeviceRows& device);

std::string name_of(const ShapeRows& shape);  // its label, or its size

}  // namespace clgemm::bench
