// Checks results. A result is compared with a sum in float64, by the largest error ratio (common/float64.hpp)
// and its bound (common/error_bound.hpp), and with another implementation's result.
//
// Small problems are checked completely. For large ones, a sample of rows and a sample of columns are checked
// at their crossings. The samples have the first, the last, those beside tile edges, and a random one from
// each of many equal strips. A number that is not finite always fails.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "measuring/diagnosis.hpp"
#include "measuring/host_data.hpp"

namespace clgemm::bench {

struct CheckResult {
  double error_ratio = 0.0;  // infinite if the result is not finite
  double bound = 0.0;
  bool passed = false;
};

// Returns `count` different indices below `extent`, sorted, or all of them if count >= extent.
std::vector<std::size_t> sample_indices(std::size_t extent, std::size_t count);

// The multiply-adds that a reference may cost: about a second on two cores.
inline constexpr double reference_budget = 5e8;

// The float64 result of one problem, computed once and used for every kernel and peer. The C of a batch is
// treated as one matrix with all its rows.
class Reference {
 public:
  // `data` must outlive it. At least one element is computed with any budget.
  explicit Reference(const HostData& data, double budget = reference_budget);

  // `c` has the form of HostData. It passes up to this error ratio, or up to plain fp32's on random numbers
  // if there is none.
  CheckResult check(std::span<const float> c, double bound) const;
  CheckResult check(std::span<const float> c) const;

  // Compares every element of two results. Each may differ from the exact result by plain fp32's bound on
  // random numbers, so the pair passes at twice the bound. The denominator is the same as above, with |A||B|
  // bounded by the norms of rows and columns.
  CheckResult compare(std::span<const float> c, std::span<const float> other) const;

  // Describes a wrong result: the first wrong element, the number of wrong elements, what they have in
  // common, and the sum that they hold if it can be recognized. An element is wrong if its error ratio is
  // above `bound`.
  std::string describe_wrong(std::span<const float> c, double bound, const Tiling& tiling) const;

  std::size_t k() const { return data_.call.k; }

  // Returns the number of elements that check() compares with float64.
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
  std::vector<double> row_norms_;     // norms of the rows of op(A)
  std::vector<double> column_norms_;  // norms of the columns of op(B), one matrix of a batch after another
};

}  // namespace clgemm::bench
