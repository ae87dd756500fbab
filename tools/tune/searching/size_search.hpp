// The search for the fastest config of one size. Its next step depends only on its settings and on the
// outcomes so far. So the same outcomes lead to the same config.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tune/searching/measured.hpp"
#include "tune/searching/search.hpp"

namespace clgemm::tune {

// Returns no value if the search was interrupted.
using Measure = std::function<std::optional<Outcome>(const Trial& trial, double worst_ms)>;

struct Winner {
  Config config;
  double ms = 0.0;
  double first_ms = 0.0;        // time of clgemm's choice without tuning data; 0 if it failed
  bool first_was_late = false;  // it failed only because of the time limit, so it may be faster
};

class SizeSearch {
 public:
  // All `starts` are measured, and the first of them to the end. No sample has `hopeless` kernels. Arguments
  // that are given by reference must outlive the object.
  SizeSearch(const bench::Size& size, const std::vector<KernelSpace>& spaces, std::vector<Config> starts,
             std::set<std::string> hopeless, const SearchSettings& settings, Measure measure);

  // Returns false if it was interrupted.
  bool run();

  // Valid after run(). Empty if no config is right.
  const std::optional<Winner>& winner() const { return winner_; }

  // Returns the number of measurements that did not finish within the time limit.
  std::size_t late() const { return late_; }

  // Returns the fastest right time of each kernel, by measurements of any care.
  const std::map<std::string, double>& best_of_kernels() const { return best_of_kernels_; }

 private:
  struct Measured {
    Config config;
    double ms;
  };

  // All of these return false if they were interrupted.
  bool measure(const Config& config, Care care, std::optional<double>& ms);
  bool measure_all(const std::vector<Config>& configs, Care care, double budget_part,
                   std::vector<Measured>& right);
  bool climb(const Measured& start, std::vector<Measured>& ranked);
  bool climb_step(Measured& current, std::vector<Measured>& ranked, bool& moved);
  bool decide(std::vector<Measured> ranked);

  std::vector<Config> sample() const;
  bool has_budget(double part) const {
    return settings_.budget_s == 0.0 || spent_s_ < part * settings_.budget_s;
  }
  const KernelSpace* space_with(const Config& config) const;

  bench::Size size_;
  const std::vector<KernelSpace>& spaces_;
  std::vector<Config> starts_;
  std::set<std::string> hopeless_;
  SearchSettings settings_;
  Measure measure_;
  double spent_s_ = 0.0;
  std::size_t late_ = 0;
  bool first_was_late_ = false;
  double best_quick_ms_ = 0.0;  // 0 means none yet
  std::map<std::string, double> best_of_kernels_;
  std::optional<Winner> winner_;
};

}  // namespace clgemm::tune
