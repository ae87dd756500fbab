#include "measuring/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "common/error_bound.hpp"
#include "common/float64.hpp"
#include "common/in_parallel.hpp"

namespace clgemm::bench {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Kernels' tiles are multiples of these. Errors in bounds occur at their edges.
constexpr std::size_t tile_sizes[] = {128, 64, 32, 16, 8};

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

struct SampleCounts {
  std::size_t rows;
  std::size_t columns;
};

// Returns as many rows and columns as the budget allows, as nearly square as the matrix allows.
SampleCounts sample_counts(const HostData& data, double budget) {
  const double depth = static_cast<double>(std::max<std::size_t>(data.call.k, 1));
  const auto elements = static_cast<std::size_t>(std::max(1.0, budget / depth));
  const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(elements)));
  const std::size_t rows = std::clamp<std::size_t>(side, 1, data.rows_of_c());
  const std::size_t columns = std::clamp<std::size_t>(elements / rows, 1, data.call.n);
  return {std::clamp<std::size_t>(elements / columns, 1, data.rows_of_c()), columns};
}

std::vector<double> norms_of_rows(const std::vector<float>& matrix, std::size_t rows, std::size_t columns) {
  std::vector<double> result(rows, 0.0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const double value = matrix[row * columns + column];
      result[row] += value * value;
    }
    result[row] = std::sqrt(result[row]);
  }
  return result;
}

// The matrices follow each other in memory.
std::vector<double> norms_of_columns(const std::vector<float>& matrices, std::size_t count, std::size_t rows,
                                     std::size_t columns) {
  std::vector<double> result(count * columns, 0.0);
  for (std::size_t row = 0; row < count * rows; ++row) {
    double* norms = &result[row / rows * columns];
    for (std::size_t column = 0; column < columns; ++column) {
      const double value = matrices[row * columns + column];
      norms[column] += value * value;
    }
  }
  for (double& norm : result) norm = std::sqrt(norm);
  return result;
}

}  // namespace

std::vector<std::size_t> sample_indices(std::size_t extent, std::size_t count) {
  std::set<std::size_t> chosen;
  const auto add = [&](std::size_t index) {
    if (index < extent && chosen.size() < count) chosen.insert(index);
  };
  if (count < extent) {
    add(0);
    add(extent - 1);
    // At most half of the sample is beside the edges of tiles: those of the first tile, and of the last
    // complete one.
    for (const std::size_t tile : tile_sizes) {
      if (chosen.size() + 4 > count / 2 || extent < tile) continue;
      const std::size_t last_edge = extent / tile * tile;
      for (const std::size_t index : {tile - 1, tile, last_edge - 1, last_edge}) add(index);
    }
    std::mt19937_64 generator(extent);
    const std::size_t strips = count - chosen.size();
    for (std::size_t strip = 0; strip < strips; ++strip) {
      const std::size_t first = extent * strip / strips;
      const std::size_t width = extent * (strip + 1) / strips - first;
      add(first + generator() % width);
    }
  }
  for (std::size_t index = 0; chosen.size() < std::min(count, extent); ++index) add(index);
  return {chosen.begin(), chosen.end()};
}

Reference::Reference(const HostData& data, double budget)
    : data_(data),
      row_norms_(norms_of_rows(data.a, data.rows_of_c(), data.call.k)),
      column_norms_(norms_of_columns(data.b, data.call.batch_count, data.call.k, data.call.n)) {
  const SampleCounts counts = sample_counts(data, budget);
  rows_ = sample_indices(data.rows_of_c(), counts.rows);
  columns_ = sample_indices(data.call.n, counts.columns);
  values_.resize(checked_elements());
  magnitudes_.resize(checked_elements());

  if (data.call.batch_count == 1) {
    const std::vector<double> b = sampled_b(0);
    in_parallel(rows_.size(), [&](std::size_t row) { compute_row(row, b); });
  } else {
    in_parallel(data.call.batch_count, [&](std::size_t matrix) { compute_matrix(matrix); });
  }
}

void Reference::compute_matrix(std::size_t matrix) {
  const std::vector<double> b = sampled_b(matrix);
  const auto first = std::lower_bound(rows_.begin(), rows_.end(), matrix * data_.call.m);
  const auto last = std::lower_bound(first, rows_.end(), (matrix + 1) * data_.call.m);
  for (auto row = first; row != last; ++row) compute_row(static_cast<std::size_t>(row - rows_.begin()), b);
}

// Returns the sampled columns side by side.
std::vector<double> Reference::sampled_b(std::size_t matrix) const {
  const SgemmCall& call = data_.call;
  const float* b = &data_.b[matrix * call.k * call.n];
  std::vector<double> sampled(call.k * columns_.size());
  for (std::size_t depth = 0; depth < call.k; ++depth) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      sampled[depth * columns_.size() + i] = b[depth * call.n + columns_[i]];
    }
  }
  return sampled;
}

double Reference::norm_of_column(std::size_t row, std::size_t column) const {
  return column_norms_[row / data_.call.m * data_.call.n + column];
}

void Reference::compute_row(std::size_t row, std::span<const double> sampled_b) {
  const SgemmCall& call = data_.call;
  const std::size_t width = columns_.size();
  std::vector<double> sums(width, 0.0);
  std::vector<double> absolute_sums(width, 0.0);
  const float* a = &data_.a[rows_[row] * call.k];
  add_exact_row(
      call.k, [a](std::size_t depth) { return a[depth]; },
      [&](std::size_t depth, std::size_t i) { return sampled_b[depth * width + i]; }, sums, absolute_sums);
  const double alpha = call.alpha;
  const double beta = call.beta;
  for (std::size_t i = 0; i < width; ++i) {
    const double old = beta == 0.0 ? 0.0 : data_.c[rows_[row] * call.n + columns_[i]];
    values_[row * width + i] = alpha * sums[i] + beta * old;
    magnitudes_[row * width + i] = std::fabs(alpha) * absolute_sums[i] + std::fabs(beta * old);
  }
}

CheckResult Reference::check(std::span<const float> c) const {
  return check(c, error_bound(Arithmetic::fp32, data_.call.k, Numbers::random));
}

CheckResult Reference::check(std::span<const float> c, double bound) const {
  CheckResult result{0.0, bound, false};
  if (!all_finite(c)) {
    result.error_ratio = infinity;
    return result;
  }
  const std::size_t width = columns_.size();
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      const double value = c[rows_[row] * data_.call.n + columns_[i]];
      const double error = std::fabs(value - values_[row * width + i]);
      result.error_ratio =
          std::max(result.error_ratio, error_ratio_of(error, magnitudes_[row * width + i], data_.call.k));
    }
  }
  result.passed = result.error_ratio <= result.bound;
  return result;
}

std::string Reference::describe_wrong(std::span<const float> c, double bound, const Tiling& tiling) const {
  const std::size_t width = columns_.size();
  std::vector<Element> wrong;
  std::string first;
  for (std::size_t i = 0; i < rows_.size() * width; ++i) {
    const Element element{rows_[i / width], columns_[i % width]};
    const double value = c[element.row * data_.call.n + element.column];
    if (error_ratio_of(std::fabs(value - values_[i]), magnitudes_[i], data_.call.k) <= bound)
      continue;  // false for NaN
    if (wrong.empty()) {
      const std::size_t m = data_.call.m;
      const std::string where =
          data_.call.batch_count == 1 ? "" : fmt::format("matrix {}, ", element.row / m);
      first = fmt::format("the first one is at {}row {}, column {} ({}): {} instead of {}", where,
                          element.row % m, element.column,
                          place_in(tiling, {element.row % m, element.column}), value, values_[i]);
    }
    wrong.push_back(element);
  }
  if (wrong.empty())
    return "the elements that were compared with float64 are right, but other elements are not finite";
  const CheckedGrid grid{rows_, columns_, data_.rows_of_c(), data_.call.n, tiling};
  const std::size_t right = wrong.front().row / data_.call.m;  // matrices before the first wrong one
  return fmt::format("{} of {} elements are wrong, {}; pattern: {}{}{}", wrong.size(), checked_elements(),
                     first, pattern_of(wrong, grid),
                     right == 0 ? "" : fmt::format("; matrix {} is right", right - 1),
                     likely_cause(c, bound, wrong));
}

// Finds one sum that the first wrong elements hold instead of the right one.
std::string Reference::likely_cause(std::span<const float> c, double bound,
                                    std::span<const Element> wrong) const {
  constexpr std::size_t most_looked_at = 32;
  const std::span<const Element> some = wrong.first(std::min(wrong.size(), most_looked_at));
  const SgemmCall& call = data_.call;
  const double alpha = call.alpha;
  const double beta = call.beta;
  const auto value_of = [&](const Element& one) { return c[one.row * call.n + one.column]; };
  const auto old_of = [&](const Element& one) { return data_.c[one.row * call.n + one.column]; };
  const auto product = [&](const Element& one, std::size_t depth) {
    const std::size_t matrix = one.row / call.m;
    return static_cast<double>(data_.a[one.row * call.k + depth]) *
           data_.b[(matrix * call.k + depth) * call.n + one.column];
  };
  const auto sum_to = [&](const Element& one, std::size_t depth) {
    double sum = 0.0;
    for (std::size_t i = 0; i < depth; ++i) sum += product(one, i);
    return sum;
  };
  std::vector<double> magnitudes(some.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    double magnitude = beta == 0.0 ? 0.0 : std::fabs(beta * old_of(some[i]));
    for (std::size_t depth = 0; depth < call.k; ++depth)
      magnitude += std::fabs(alpha * product(some[i], depth));
    magnitudes[i] = magnitude;
  }
  const auto is_near = [&](std::size_t i, double expected) {
    return error_ratio_of(std::fabs(value_of(some[i]) - expected), magnitudes[i], call.k) <= bound;
  };
  // Returns true if all of them hold the value that `expected` returns for them.
  const auto all_hold = [&](const auto& expected) {
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (!is_near(i, expected(some[i]))) return false;
    }
    return true;
  };
  const auto is_as_before = [&](const Element& one) {
    return value_of(one) == old_of(one) || (std::isnan(value_of(one)) && std::isnan(old_of(one)));
  };
  if (std::all_of(some.begin(), some.end(), is_as_before))
    return beta == 0.0 ? "; they are NaN, like C before the call: they were not stored, or C is read "
                         "although beta is 0"
                       : "; they are unchanged, so they were not stored";
  const auto old_part = [&](const Element& one) { return beta == 0.0 ? 0.0 : beta * old_of(one); };
  if (beta != 0.0) {
    if (all_hold([&](const Element& one) { return alpha * sum_to(one, call.k); }))
      return "; as if beta were 0";
    if (all_hold([&](const Element& one) { return alpha * sum_to(one, call.k) + old_of(one); }))
      return "; as if beta were 1";
  }
  if (all_hold([&](const Element& one) { return sum_to(one, call.k) + old_part(one); }))
    return "; as if alpha were 1";
  const double all = sum_to(some[0], call.k);
  double before = 0.0;
  for (std::size_t depth = 0; depth < call.k; ++depth) {
    const auto holds_to = [&](const Element& one) { return alpha * sum_to(one, depth) + old_part(one); };
    const auto lacks = [&](const Element& one) {
      return alpha * (sum_to(one, call.k) - product(one, depth)) + old_part(one);
    };
    const double one = product(some[0], depth);
    if (is_near(0, alpha * before + old_part(some[0])) && all_hold(holds_to))
      return depth == 0 ? "; as if all products were 0" : fmt::format("; as if k were {}", depth);
    if (is_near(0, alpha * (all - one) + old_part(some[0])) && all_hold(lacks))
      return fmt::format("; the product at {} of k is missing", depth);
    before += one;
  }
  return {};
}

CheckResult Reference::compare(std::span<const float> c, std::span<const float> other) const {
  const SgemmCall& call = data_.call;
  CheckResult result{0.0, 2.0 * error_bound(Arithmetic::fp32, call.k, Numbers::random), false};
  if (!all_finite(c) || !all_finite(other)) {
    result.error_ratio = infinity;
    return result;
  }
  for (std::size_t row = 0; row < data_.rows_of_c(); ++row) {
    for (std::size_t column = 0; column < call.n; ++column) {
      const std::size_t index = row * call.n + column;
      const double difference = std::fabs(static_cast<double>(c[index]) - static_cast<double>(other[index]));
      if (difference == 0.0) continue;
      const double old = call.beta == 0.0f ? 0.0 : data_.c[index];
      const double magnitude =
          std::fabs(static_cast<double>(call.alpha)) * row_norms_[row] * norm_of_column(row, column) +
          std::fabs(static_cast<double>(call.beta) * old);
      result.error_ratio = std::max(result.error_ratio, error_ratio_of(difference, magnitude, call.k));
    }
  }
  result.passed = result.error_ratio <= result.bound;
  return result;
}

}  // namespace clgemm::bench
