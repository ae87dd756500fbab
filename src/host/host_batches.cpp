#include "host/host_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace clgemm {
namespace {

// Returns the call on `count` GEMMs of a batch with constant distances, from `first` on.
HostGemm part_in_place(const HostBatch& batch, std::size_t first, std::size_t count) {
  HostGemm part{batch.problem, batch.a[first], batch.b[first], batch.c[first]};
  part.problem.batch_count = count;
  return part;
}

double elements_of(const Problem& problem) {
  const auto m = static_cast<double>(problem.m);
  const auto n = static_cast<double>(problem.n);
  const auto k = static_cast<double>(problem.k);
  return (m + n) * k + (problem.beta == 0.0f ? 1.0 : 2.0) * m * n;
}

// Returns how many matrices one buffer may hold, or 0 if not even one fits.
std::size_t most_in_one_buffer(Problem batch, std::size_t max_elements) {
  const auto fits = [&] {
    const Extents extents = extents_of(batch);
    return std::max({extents.a, extents.b, extents.c}) <= max_elements;
  };
  while (batch.batch_count > 0 && !fits()) batch.batch_count /= 2;
  return batch.batch_count;
}

}  // namespace

void HostBatches::multiply(const HostBatch& batch, const Options& options) {
  // Times in ms on PoCL, two busy cores of an AMD EPYC (November 2026), for one launch and for one call each:
  // 1000 of 32 x 32: 0.5 and 32. 1000 of 64 x 64: 3.6 and 65. 100 of 256 x 256: 18 and 39. 20 of 512 x 512:
  // 35 and 36.
  const auto [place, at_a_time] = way_of(batch.problem, batch.is_even, options);
  if (place == Way::Place::gathered) return multiply_gathered(batch, at_a_time, options);
  for (std::size_t done = 0; done < batch.count(); done += at_a_time) {
    if (place == Way::Place::one_by_one) {
      single_.multiply(batch.at(done), options);
    } else {
      const std::size_t count = std::min(at_a_time, batch.count() - done);
      multiply_in_host_memory(single_.on_own_queue(options), part_in_place(batch, done, count));
    }
  }
}

HostBatches::Way HostBatches::way_of(const Problem& batch, bool is_even, const Options& options) {
  constexpr Way one_by_one{Way::Place::one_by_one, 1};
  const bool is_sum = is_even && batch.c.stride == 0;
  if (batch.batch_count < 2 || is_sum) return one_by_one;
  if (is_even && single_.works_in_place()) {
    const std::size_t most = most_in_one_buffer(batch, info_.max_allocation_bytes / sizeof(float));
    return most == 0 ? one_by_one : Way{Way::Place::as_they_lie, most};
  }
  // The caller's memory limit does not apply to gathered matrices.
  if (single_.has_limit(options) || !pays_to_gather(batch)) return one_by_one;
  return {Way::Place::gathered, std::min(most_gathered(one_of(batch)), batch.batch_count)};
}

bool HostBatches::pays_to_gather(const Problem& batch) {
  const HostRates& rates = calls_.rates().host;
  return elements_of(batch) * sizeof(float) / rates.copied < rates.call_seconds;
}

void HostBatches::multiply_gathered(const HostBatch& batch, std::size_t at_a_time, const Options& options) {
  std::unique_ptr<GatheredBatch> gathered;
  {
    const std::lock_guard lock(mutex_);
    gathered = std::move(idle_);
  }
  const GemmDevice device = single_.on_own_queue(options);
  if (!gathered) gathered = std::make_unique<GatheredBatch>(device);
  for (std::size_t done = 0; done < batch.count(); done += at_a_time)
    gathered->multiply(device, batch, done, std::min(at_a_time, batch.count() - done));
  const std::lock_guard lock(mutex_);
  idle_ = std::move(gathered);
}

Problem HostBatches::in_one_launch(const Problem& batch, const Way& way) const {
  if (way.place == Way::Place::gathered)
    return gathered_problem(one_of(batch), info_, way.count, batch.a.stride == 0, batch.b.stride == 0);
  Problem part = in_host_memory(batch);
  part.batch_count = way.count;
  return part;
}

std::string HostBatches::explain(const Problem& batch, const Options& options) {
  const Way way = way_of(batch, true, options);
  std::string result = fmt::format("batch: {} GEMMs, ", batch.batch_count);
  switch (way.place) {
    case Way::Place::one_by_one:
      return result + "one after another\n" + single_.explain(one_of(batch), options);
    case Way::Place::gathered:
      result += "gathered in pinned memory";
      break;
    case Way::Place::as_they_lie:
      result += "in place";
      break;
  }
  return result + fmt::format(", {} in one launch\n", way.count) +
         calls_.explain(in_one_launch(batch, way), options);
}

double HostBatches::predicted_seconds(const Problem& batch, const Options& options) {
  const Way way = way_of(batch, true, options);
  const auto count = static_cast<double>(batch.batch_count);
  if (way.place == Way::Place::one_by_one) return count * single_.predicted_seconds(one_of(batch), options);
  const HostRates& rates = calls_.rates().host;
  const double launch = rates.call_seconds + calls_.predicted_seconds(in_one_launch(batch, way), options);
  const double gathering =
      way.place == Way::Place::gathered ? elements_of(batch) * sizeof(float) / rates.copied : 0.0;
  return count * (launch / static_cast<double>(way.count) + gathering);
}

}  // namespace clgemm
