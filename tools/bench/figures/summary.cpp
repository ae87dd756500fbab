#include "figures/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "common/find_or_add.hpp"
#include "common/machine_load.hpp"
#include "common/statistics.hpp"

namespace clgemm::bench {
namespace {

std::size_t measured_kernels(const ShapeResult& shape) {
  return static_cast<std::size_t>(
      std::count_if(shape.kernels.begin(), shape.kernels.end(),
                    [](const KernelResult& kernel) { return kernel.figures.measured(); }));
}

constexpr std::size_t most_of_the_worst = 5;

std::vector<RatioAtShape> ratios_beside(const Results& results, const std::string& peer) {
  std::vector<RatioAtShape> ratios;
  for (const ShapeResult& shape : results.shapes) {
    const KernelResult* own = shape.own();
    if (own == nullptr || own->figures.failed()) continue;
    if (const auto ratio = shape.speed_up(shape.peer_figures(peer), own->figures))
      ratios.push_back({&shape, *ratio});
  }
  return ratios;
}

BesidePeer summary_of(const std::string& peer, std::vector<RatioAtShape> ratios) {
  BesidePeer summary;
  summary.peer = peer;
  summary.shapes = ratios.size();
  double logarithms = 0.0;
  for (const RatioAtShape& one : ratios) {
    logarithms += std::log(one.ratio);
    const bool within_noise =
        one.shape->within_noise(one.shape->peer_figures(peer), one.shape->own()->figures);
    if (one.ratio >= 1.0) {
      ++summary.at_least_one;
    } else if (within_noise) {
      ++summary.within_noise;
    }
  }
  summary.geometric_mean = std::exp(logarithms / static_cast<double>(ratios.size()));
  std::stable_sort(ratios.begin(), ratios.end(), [](const RatioAtShape& one, const RatioAtShape& other) {
    return one.ratio < other.ratio;
  });
  ratios.resize(std::min(ratios.size(), most_of_the_worst));
  summary.worst = std::move(ratios);
  return summary;
}

}  // namespace

std::vector<BesidePeer> beside_peers(const Results& results) {
  std::vector<BesidePeer> all;
  for (const std::string& peer : measured_peers(results)) {
    std::vector<RatioAtShape> ratios = ratios_beside(results, peer);
    if (ratios.size() > 1) all.push_back(summary_of(peer, std::move(ratios)));
  }
  return all;
}

std::vector<std::string> measured_peers(const Results& results) {
  std::vector<std::string> names;
  for (const ShapeResult& shape : results.shapes) {
    for (const PeerResult& peer : shape.peers) {
      if (peer.figures.measured()) find_or_add(names, peer.name);
    }
  }
  return names;
}

std::string own_title(const Results& results) {
  bool any = false;
  bool all = true;
  for (const ShapeResult& shape : results.shapes) {
    const KernelResult* own = shape.own();
    if (own == nullptr) continue;
    any = any || own->is_own_choice();
    all = all && own->is_own_choice();
  }
  if (all) return "clgemm";
  return any ? "clgemm or its fastest kernel" : "fastest kernel";
}

const PeerResult* peer_with_version(const Results& results, const std::string& name) {
  for (const ShapeResult& shape : results.shapes) {
    const PeerResult* peer = shape.peer(name);
    if (peer != nullptr && !peer->version.empty()) return peer;
  }
  return nullptr;
}

const ShapeResult* ladder_shape(const Results& results) {
  const auto poorer = [](const ShapeResult& one, const ShapeResult& other) {
    const std::size_t kernels = measured_kernels(one);
    const std::size_t others = measured_kernels(other);
    return kernels != others ? kernels < others : operations(one) < operations(other);
  };
  const auto richest = std::max_element(results.shapes.begin(), results.shapes.end(), poorer);
  return richest == results.shapes.end() || measured_kernels(*richest) < 2 ? nullptr : &*richest;
}

namespace {

// Calls `look_at` for each kernel and peer at each shape, with its name. The last argument tells if the peak
// of fp32 units bounds it.
template <class LookAt>
void each_result(const Results& results, const LookAt& look_at) {
  for (const ShapeResult& shape : results.shapes) {
    for (const KernelResult& kernel : shape.kernels)
      look_at(shape, kernel.long_title(), kernel.figures, kernel.on_fp32_units.value_or(false));
    for (const PeerResult& peer : shape.peers)
      look_at(shape, peer_title(peer.name), peer.figures, peer.figures.computes_in_fp32);
  }
}

void add_few_runs(std::vector<std::string>& troubles, const Results& results) {
  std::vector<std::string> of_one;
  std::vector<std::string> of_few;
  each_result(results, [&](const ShapeResult&, const std::string& name, const Figures& figures, bool) {
    if (figures.measured() && figures.runs < runs_for_interval)
      find_or_add(figures.runs == 1 ? of_one : of_few, name);
  });
  // Shortens long lists, which nobody would read.
  const auto listed = [](const std::vector<std::string>& names) {
    constexpr std::size_t most = 4;
    return names.size() > most ? fmt::format("{} of the rows", names.size())
                               : fmt::format("{}", fmt::join(names, ", "));
  };
  if (!of_one.empty()) troubles.push_back(fmt::format("a single run shows no noise: {}.", listed(of_one)));
  if (of_few.empty()) return;
  troubles.push_back(fmt::format(
      "with fewer than {} runs, +- is the range of their times, which is less certain than 95 %: {}.",
      runs_for_interval, listed(of_few)));
}

void add_rates_above_peak(std::vector<std::string>& troubles, const Results& results) {
  if (!results.ceilings) return;
  const double peak = results.ceilings->fp32_gflops;
  each_result(results, [&](const ShapeResult& shape, const std::string& title, const Figures& figures,
                           bool is_bounded) {
    const double rate = shape.rate(figures).value_or(0.0);  // by the clock of the table
    if (!is_bounded || rate <= peak) return;
    troubles.push_back(
        fmt::format("{} at {} reaches {:.0f} % of the peak that --ceilings measured, so one of the two "
                    "measurements was disturbed.",
                    title, describe_shape(shape), 100.0 * rate / peak));
  });
}

}  // namespace

bool was_busy(const Results& results) {
  return results.part_of_others.value_or(0.0) > quiet_part;
}

std::vector<std::string> troubles_of(const Results& results) {
  std::vector<std::string> troubles;
  if (was_busy(results)) {
    troubles.push_back(fmt::format("the machine was busy: other programs took {:.0f} % of its cores' time.",
                                   100.0 * *results.part_of_others));
  }
  add_few_runs(troubles, results);
  add_rates_above_peak(troubles, results);
  return troubles;
}

Checks checks_of(const Results& results) {
  Checks checks;
  for (const ShapeResult& shape : results.shapes) {
    for (const Figures* figures : shape.all_figures()) {
      if (!figures->judged()) continue;
      ++checks.checked;
      if (*figures->passed) ++checks.passed;
    }
  }
  return checks;
}

}  // namespace clgemm::bench
