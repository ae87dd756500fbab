#include "tune/calibration/quick.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string>

#include "base/error.hpp"
#include "choose/ranking.hpp"
#include "plan/blocks.hpp"
#include "plan/make_plan.hpp"
#include "tune/calibration/calibration.hpp"

namespace clgemm::tune {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

// Predicts the time of configs on shapes from the rows: that of a config with its best number of slices along
// k, or infinity if the config does not suit the shape.
class Expected {
 public:
  Expected(const std::optional<SpeedTable>& table, ConfigCache& cache, KernelLibrary& library)
      : table_(table.value_or(SpeedTable{})), cache_(cache), library_(library) {}

  double seconds(const Config& config, const SampleShape& shape) {
    const SharedConfig kernel = cache_.get(config.kernel, config.parameters);
    if (shape.k < kernel->manifest().least_k) return unknown;
    double least = unknown;
    for (const Config& split : with_slices(config, shape, cache_.device(), library_))
      least = std::min(least, seconds_of(split, shape, table_.speed_of(*kernel)));
    return least;
  }

 private:
  double seconds_of(const Config& config, const SampleShape& shape, const ConfigSpeed& speed) {
    const Device& device = cache_.device();
    try {
      const Problem problem = problem_of(shape, device);
      const Plan plan = outline_plan(problem, config, cache_, default_scratch_limit(device));
      return predict(plan, speed, table_.rates, device.kind).seconds();
    } catch (const Error& error) {
      if (!fault_of(error.code())) throw;
      return unknown;
    }
  }

  SpeedTable table_;
  ConfigCache& cache_;
  KernelLibrary& library_;
};

bool has_row(const std::optional<SpeedTable>& table, const Config& config) {
  if (!table) return false;
  const auto is_of_config = [&](const ConfigRow& row) { return row.config == config; };
  return std::any_of(table->rows().begin(), table->rows().end(), is_of_config) ||
         std::any_of(table->unmeasured.begin(), table->unmeasured.end(), is_of_config);
}

// Returns some configs of a kernel without rows, spread over its whole list.
std::vector<Config> spread(const std::vector<Config>& configs) {
  constexpr std::size_t most = 6;
  const std::size_t count = std::min(most, configs.size());
  std::vector<Config> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(configs[i * configs.size() / count]);
  return result;
}

// The predicted time of each config for a shape, if all units are allowed or only fp32 ones.
using Row = std::vector<double>;

// Returns the mean logarithm of the loss if only these configs are available.
double regret_of(const std::vector<Row>& shapes, const std::vector<std::size_t>& chosen) {
  constexpr double none = 3.0;  // for a shape that no config serves
  double sum = 0.0;
  for (const Row& shape : shapes) {
    const double best = *std::min_element(shape.begin(), shape.end());
    double have = unknown;
    for (const std::size_t i : chosen) have = std::min(have, shape[i]);
    if (best < unknown) sum += std::min(none, std::log(have / best));
  }
  return sum / static_cast<double>(shapes.size());
}

// Adds one config at a time, always the one that helps the most.
std::vector<std::size_t> best_few(const std::vector<Row>& shapes, std::size_t count) {
  constexpr double enough = 0.002;
  constexpr std::size_t most = 20;
  std::vector<std::size_t> chosen;
  for (double regret = unknown; regret > enough && chosen.size() < std::min(most, count);) {
    std::size_t best = count;
    for (std::size_t i = 0; i < count; ++i) {
      chosen.push_back(i);
      if (const double with = regret_of(shapes, chosen); with < regret) {
        regret = with;
        best = i;
      }
      chosen.pop_back();
    }
    if (best == count) break;  // no further config helps
    chosen.push_back(best);
  }
  return chosen;
}

}  // namespace

std::optional<SpeedTable> nearest_rows(const Tuning& tuning, const Device& device) {
  std::vector<SpeedTable> tables = tuning.tables(device);
  if (tables.empty()) return std::nullopt;
  const auto other = std::find_if(tables.begin(), tables.end(),
                                  [](const SpeedTable& table) { return table.kin != Kinship::same; });
  return other == tables.end() ? tables.front() : *other;
}

Prior prior_of(const std::optional<SpeedTable>& table, const std::vector<Config>& configs,
               ConfigCache& cache) {
  Prior prior;
  if (!table || table->kin == Kinship::same) return prior;
  prior.rates = table->rates;
  for (const ConfigRow& row : table->rows()) {
    if (std::count(configs.begin(), configs.end(), row.config) == 0) continue;
    prior.rows[row.config] = table->speed_of(row, *cache.get(row.config.kernel, row.config.parameters));
  }
  return prior;
}

std::vector<Config> quick_configs(const std::vector<Config>& all, const std::optional<SpeedTable>& table,
                                  ConfigCache& cache, KernelLibrary& library) {
  constexpr std::size_t shapes_looked_at = 64;
  constexpr std::uint64_t seed = 1;
  Expected expected(table, cache, library);
  std::vector<Config> candidates;
  std::map<std::string, std::vector<Config>> unknown_configs;
  for (const Config& config : all) {
    if (!suits(*cache.get(config.kernel, config.parameters), cache.device())) continue;
    if (has_row(table, config)) {
      candidates.push_back(config);
    } else {
      unknown_configs[config.kernel].push_back(config);
    }
  }
  for (const Config& config : candidates) unknown_configs.erase(config.kernel);
  std::vector<Config> result;
  for (const auto& [kernel, configs] : unknown_configs) {
    for (Config& config : spread(configs)) result.push_back(std::move(config));
  }
  if (candidates.empty()) return result;
  std::vector<Row> rows;
  for (const SampleShape& shape : calibrated_shapes(cache.device().kind, shapes_looked_at, seed)) {
    Row by_all, by_fp32;
    for (const Config& config : candidates) {
      by_all.push_back(expected.seconds(config, shape));
      const SharedConfig kernel = cache.get(config.kernel, config.parameters);
      by_fp32.push_back(kernel->manifest().precision == Precision::fp32 ? by_all.back() : unknown);
    }
    if (by_all != by_fp32) rows.push_back(by_all);
    rows.push_back(by_fp32);
  }
  for (const std::size_t i : best_few(rows, candidates.size())) result.push_back(candidates[i]);
  return result;
}

std::vector<SampleShape> quick_shapes(const std::optional<SpeedTable>& table,
                                      const std::vector<Config>& configs, ConfigCache& cache,
                                      KernelLibrary& library, std::uint64_t seed) {
  constexpr std::size_t looked_at = 48;
  constexpr double most_seconds = 5e-3;
  constexpr std::size_t most_columns = 6;  // few kernels are for one column only
  Expected expected(table, cache, library);
  std::vector<SampleShape> result;
  std::size_t columns = 0;
  for (SampleShape shape : calibrated_shapes(cache.device().kind, looked_at, seed)) {
    shape.transpose_a = shape.transpose_b = false;  // each would need further programs
    if (shape.n == 1 && columns++ >= most_columns) continue;
    double best = unknown;
    for (const Config& config : configs) best = std::min(best, expected.seconds(config, shape));
    if (best < most_seconds) result.push_back(shape);
    if (result.size() == most_quick_shapes) break;
  }
  return result;
}

}  // namespace clgemm::tune
