#include "page/page_data.hpp"

#include <algorithm>

namespace clgemm::bench {
namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::size_t measured_kernels(const ShapeRows& shape) {
  return static_cast<std::size_t>(std::count_if(shape.kernels.begin(), shape.kernels.end(),
                                                [](const Row* row) { return row->figures.measured(); }));
}

ShapeRows& shape_of(DeviceRows& device, const Row& row) {
  for (ShapeRows& shape : device.shapes) {
    if (describe_shape(*shape.any) == describe_shape(row) && shape.any->beta == row.beta) return shape;
  }
  device.shapes.push_back({&row, {}, {}});
  return device.shapes.back();
}

void add_row(ShapeRows& shape, const Row& row) {
  const auto same = std::find_if(shape.kernels.begin(), shape.kernels.end(), [&row](const Row* other) {
    return other->title() == row.title() && other->parameters == row.parameters;
  });
  if (same == shape.kernels.end()) {
    shape.kernels.push_back(&row);
  } else {
    *same = &row;
  }
  for (const PeerRow& peer : row.peers) {
    const auto found = std::find_if(shape.peers.begin(), shape.peers.end(),
                                    [&peer](const PeerRow& other) { return other.name == peer.name; });
    if (found == shape.peers.end()) {
      shape.peers.push_back(peer);
    } else {
      *found = peer;
    }
  }
}

// A peer that ran nowhere is one fact about the run, not one about each shape.
void remove_missing(DeviceRows& device, ShapeRows& shape) {
  const auto is_named = [](const std::vector<PeerRow>& peers, const std::string& name) {
    return std::any_of(peers.begin(), peers.end(), [&](const PeerRow& peer) { return peer.name == name; });
  };
  std::erase_if(shape.peers, [&](const PeerRow& peer) {
    if (std::find(device.peers.begin(), device.peers.end(), peer.name) != device.peers.end()) return false;
    if (!is_named(device.missing, peer.name)) device.missing.push_back(peer);
    return true;
  });
}

}  // namespace

const Row* ShapeRows::own() const {
  const Row* best = nullptr;
  for (const Row* row : kernels) {
    if (!row->figures.measured()) continue;
    if (row->asked == "auto") return row;
    if (best == nullptr || *row->figures.median_ms < *best->figures.median_ms) best = row;
  }
  return best;
}

const PeerRow* ShapeRows::peer(const std::string& name) const {
  const auto found =
      std::find_if(peers.begin(), peers.end(), [&](const PeerRow& peer) { return peer.name == name; });
  return found == peers.end() ? nullptr : &*found;
}

SeriesStyles DeviceRows::styles() const {
  std::vector<std::string> others;
  for (const std::string& kernel : kernels) {
    if (kernel != "clgemm") others.push_back(kernel);
  }
  return SeriesStyles(others);
}

DeviceRows by_shape(const std::vector<Row>& rows) {
  DeviceRows device;
  const auto is_own = [](const Row& row) { return row.title() == "clgemm"; };
  if (std::any_of(rows.begin(), rows.end(), is_own)) device.kernels.emplace_back("clgemm");
  for (const Row& row : rows) {
    add_row(shape_of(device, row), row);
    add_once(device.kernels, row.title());
    for (const PeerRow& peer : row.peers) {
      if (peer.figures.measured()) add_once(device.peers, peer.name);
    }
    if (row.ceilings) device.ceilings = row.ceilings;
  }
  for (ShapeRows& shape : device.shapes) remove_missing(device, shape);
  return device;
}

std::vector<std::vector<Row>> by_run(const std::vector<Row>& rows) {
  std::vector<std::vector<Row>> devices;
  for (const Row& row : rows) {
    const auto found = std::find_if(devices.begin(), devices.end(), [&row](const std::vector<Row>& device) {
      return device.front().device == row.device && device.front().date == row.date;
    });
    if (found == devices.end()) {
      devices.push_back({row});
    } else {
      found->push_back(row);
    }
  }
  return devices;
}

const ShapeRows* ladder_shape(const DeviceRows& device) {
  const auto poorer = [](const ShapeRows& one, const ShapeRows& other) {
    const std::size_t kernels = measured_kernels(one);
    const std::size_t others = measured_kernels(other);
    return kernels != others ? kernels < others : one.any->operations() < other.any->operations();
  };
  const auto richest = std::max_element(device.shapes.begin(), device.shapes.end(), poorer);
  return richest == device.shapes.end() || measured_kernels(*richest) < 2 ? nullptr : &*richest;
}

Checks checks_of(const DeviceRows& device) {
  Checks checks;
  const auto count = [&checks](const Figures& figures) {
    if (!figures.judged()) return;
    ++checks.checked;
    if (*figures.passed) ++checks.passed;
  };
  for (const ShapeRows& shape : device.shapes) {
    for (const Row* row : shape.kernels) count(row->figures);
    for (const PeerRow& peer : shape.peers) count(peer.figures);
  }
  return checks;
}

std::string name_of(const ShapeRows& shape) {
  return shape.any->label.empty() ? describe_shape(*shape.any) : shape.any->label;
}

}  // namespace clgemm::bench
