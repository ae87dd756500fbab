#include "common/machine_load.hpp"

#include <algorithm>

#include "base/platform/machine.hpp"

namespace clgemm::bench {

MachineLoad::MachineLoad() : start_(now()) {}

std::optional<double> MachineLoad::part_of_others() const {
  const std::optional<Times> end = now();
  if (!start_ || !end || end->all <= start_->all) return std::nullopt;
  const double others = (end->busy - start_->busy) - (end->own - start_->own);
  return std::max(0.0, others / (end->all - start_->all));
}

std::optional<MachineLoad::Times> MachineLoad::now() {
  const std::optional<ProcessorTimes> times = processor_times();
  if (!times) return std::nullopt;
  return Times{times->busy, times->all, processor_seconds_of_ours()};
}

}  // namespace clgemm::bench
