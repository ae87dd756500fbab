#include "running/affordable.hpp"

#include <fmt/format.h>

#include <optional>

namespace clgemm::bench {
namespace {

std::optional<double> predicted_ms(const std::string& kernel, const Results& earlier, const Case& one) {
  double most = 0.0;
  std::optional<double> predicted;
  for (const ShapeResult& done : earlier.shapes) {
    const double work = operations(done);
    for (const KernelResult& result : done.kernels) {
      if (result.asked != kernel || !result.figures.measured() || work <= most) continue;
      most = work;
      predicted = *result.figures.median_ms * operations(one) / work;
    }
  }
  return predicted;
}

}  // namespace

Affordable affordable(const std::vector<KernelChoice>& choices, const Results& earlier, const Case& one,
                      double max_seconds) {
  Affordable result;
  for (const KernelChoice& choice : choices) {
    const std::optional<double> ms = predicted_ms(choice.name, earlier, one);
    if (choice.name == "auto" || !ms || *ms <= max_seconds * 1e3) {
      result.choices.push_back(choice);
      continue;
    }
    KernelResult skipped;
    skipped.kernel = skipped.asked = choice.name;
    skipped.outcome = Outcome::skipped;
    skipped.figures.reason = fmt::format("left out: about {:.0f} s a run, above --max-seconds", *ms * 1e-3);
    result.left_out.push_back(std::move(skipped));
  }
  return result;
}

}  // namespace clgemm::bench
