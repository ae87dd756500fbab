// From values to places on a picture, and where an axis has its marks.
#pragma once

#include <string>
#include <vector>

namespace clgemm::bench {

enum class ScaleKind { linear, logarithmic };

class Scale {
 public:
  // `low` and `high` lie at the places `from` and `to`. A logarithmic scale takes positive values only.
  Scale(ScaleKind kind, double low, double high, double from, double to);

  double operator()(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }
  ScaleKind kind() const { return kind_; }

 private:
  ScaleKind kind_;
  double low_;
  double high_;
  double from_;
  double to_;
};

// Round values (1, 2, 5 times a power of ten) from `low` to `high`, about `wanted` of them.
std::vector<double> linear_ticks(double low, double high, int wanted);

// Powers of ten, with round values between them where there are few.
std::vector<double> log_ticks(double low, double high);

// "0.5", "20", "44 850"
std::string tick_text(double value);

}  // namespace clgemm::bench
