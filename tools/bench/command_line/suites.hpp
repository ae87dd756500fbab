// `--suite`: lists of shapes that have a name, so that figures of different machines are of the same
// problems.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "command_line/options.hpp"
#include "common/size.hpp"
#include "data/host_data.hpp"

namespace clgemm::bench {

// One multiply of a run.
struct Case {
  Size size;
  MultiplyKind kind;
  std::string label;  // what it is, where the size does not say it: "BERT-base, feed-forward up, 128 tokens"
};

// seeds: the sizes of the tutorials and libraries that clgemm's kernels come from; shapes: square, odd, thin
// and deep ones, by the type of the device; dnn: layers of well-known networks.
std::vector<std::string> suite_names();

// What the options ask for on this device: their sizes, or the cases of their suites, each once.
std::vector<Case> cases_of(const BenchOptions& options, const Device& device);

// The kernels of these suites where the command line names none.
std::vector<std::string> kernels_of_suites(const std::vector<std::string>& suites);

// Layers of well-known networks as multiplies.
std::vector<Case> network_layers();

}  // namespace clgemm::bench
