// Whether a result is right: against a sum in float64, by the largest error ratio (common/float64.hpp) and
// the bound of it (common/error_bound.hpp), and against another implementation's result.
//
// Small problems are checked whole. Of large ones, the
// elements where a sample of rows and a sample of columns cross: the first, the last, those beside tile edges
// and one at random from each of many equal strips. A number that is not finite fails wherever it stands.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "data/diagnosis.hpp"
#include "data/host_data.hpp"

namespace clgemm::bench {

struct CheckResult {
  double error_ratio = 0.0;  // infinite where the result is not finite
  double bound = 0.0;
  bool passed = false;
};

// `count` different indices below `extent`, sorted; all of them where count >= extent.
std::vector<std::size_t> sample_indices(std::size_t extent, std::size_t count);

// The multiply-adds that a reference may cost; about a second on two cores.
inline constexpr double reference_budget = 5e8;

// The float64 result of one problem, made once and used for every kernel and peer. The C of a batch is looked
// at as one of all its rows.
class Reference {
 public:
  // `data` must outlive it. At least one element is computed, whatever the budget.
  explicit Reference(const HostData& data, double budget = reference_budget);

  // `c` is as HostData has it. Passes up to this error ratio; without it, up to plain fp32's on random
  // numbers.
  CheckResult check(std::span<const float> c, double bound) const;
  CheckResult check(std::span<const float> c) const;

  // Compares every element of two results with each other. Each may be off by plain fp32's bound on random
  // numbers, so the pair passes at twice the bound. The denominator is the one above, with |A||B| bounded by
  // the norms of rows and columns.
  CheckResult compare(std::span<const float> c, std::span<const float> other) const;

  // Describes a wrong result: the first wrong element, the number of them, what they have in common, and the
  // sum that they hold if that can be told. An element is wrong if its error ratio is above `bound`.
  std::string describe_wrong(std::span<const float> c, double bound, const Tiling& tiling) const;

  std::size_t k() const { return data_.call.k; }

  // Elements that check() compares with float64.
  std::size_t checked_elements() const { return rows_.size() * columns_.size(); }

 private:
  void compute_matrix(std::size_t matrix);
  std::vector<double> sampled_b(std::size_t matrix) const;
  void compute_row(std::size_t row, std::span<const double> sampled_b);
  std::string likely_cause(std::span<const float> c, double bound, std::span<const Element> wrong) const;
  double norm_of_column(std::size_t row, std::size_t column) const;

  const HostData& data_;
  std::vector<std::size_t> rows_;
  std::vector<std::size_t> columns_;
  std::vector<double> values_;        // rows_ x columns_
  std::vector<double> magnitudes_;    // |alpha| |A||B| + |beta| |C0|
  std::vector<double> row_norms_;     // of op(A)
  std::vector<double> column_norms_;  // of op(B), of one matrix of a batch behind the other
};

}  // namespace clgemm::bench
