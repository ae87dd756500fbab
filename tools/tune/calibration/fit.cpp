#include "tune/calibration/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "base/device_facts.hpp"
#include "base/error.hpp"
#include "plan/blocks.hpp"
#include "plan/make_plan.hpp"
#include "tune/calibration/calibration.hpp"

namespace clgemm::tune {
namespace {

// The logarithmic error at which the loss changes from quadratic to linear.
constexpr double straight_from = 0.15;

// The least weight of a config that is many times slower than the best.
constexpr double least_weight = 0.02;

// The additional weight of large shapes, because there are few. On an H200, the regret on shapes that were
// not fitted is 1.023 with it, and 1.027 without.
constexpr double weight_of_large = 2.0;

struct Measured {
  Work work;
  double seconds = 0.0;
  double weight = 1.0;
};

// Returns the part of the predicted time that samples measure.
double seconds_of(const Prediction& prediction, DeviceKind kind) {
  return kind == DeviceKind::cpu ? prediction.seconds() : prediction.device();
}

Work work_of(const Sample& sample, ConfigCache& configs) {
  const Device& device = configs.device();
  const Plan plan = outline_plan(problem_of(sample.shape, device), sample.config, configs, unlimited_scratch);
  return clgemm::work_of(plan, first_block(plan), device.kind);
}

using Values = std::vector<double>;

// Finds the minimum of a function by steps along one axis at a time and along the change of a whole round
// (Hooke and Jeeves).
Values minimised(Values start, const std::function<double(const Values&)>& cost) {
  constexpr double first_step = 0.5;
  constexpr double last_step = 0.01;
  constexpr int most_rounds = 60;  // for each step size
  double least = cost(start);
  const auto try_at = [&](const Values& next) {
    const double value = cost(next);
    if (value >= least) return false;
    least = value;
    start = next;
    return true;
  };
  for (double step = first_step; step > last_step; step /= 2) {
    for (int round = 0; round < most_rounds; ++round) {
      const Values before = start;
      for (std::size_t i = 0; i < start.size(); ++i) {
        for (const double by : {step, -step}) {
          Values next = start;
          next[i] += by;
          if (try_at(next)) break;
        }
      }
      if (start == before) break;
      Values further = start;
      for (std::size_t i = 0; i < start.size(); ++i) further[i] += start[i] - before[i];
      try_at(further);
    }
  }
  return start;
}

// Returns the loss for leaving known values. If a value changes by this much, it costs as much as one sample
// that is wrong by `straight_from`. Coefficients of devices of one kind differ by this much after the common
// factor is removed.
constexpr double usual_change = 0.3;
double loss_of_leaving(const Values& known, const Values& values) {
  double sum = 0.0;
  for (std::size_t i = 0; i < known.size(); ++i)
    sum += std::pow((values[i] - known[i]) / usual_change, 2) / 2.0;
  return sum;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double loss(double predicted, const Measured& one) {
  const double off = std::log(predicted / one.seconds) / straight_from;
  return one.weight * (std::sqrt(1.0 + off * off) - 1.0);
}

// Fits the row of one config.
class RowFit {
 public:
  // `known` is the previous row, or null if there was none.
  RowFit(const std::vector<Measured>& measured, const Rates& rates, std::size_t units, DeviceKind kind,
         const ConfigSpeed* known)
      : measured_(measured), rates_(rates), units_(units), kind_(kind), known_(known) {
    const auto has_enough = [&measured](const auto& is_one) {
      const auto count = std::count_if(measured.begin(), measured.end(),
                                       [&is_one](const Measured& one) { return is_one(one.work); });
      return count >= enough && static_cast<std::ptrdiff_t>(measured.size()) - count >= enough;
    };
    takes_shares_ = measured.front().work.share.has_value();
    fits_unaligned_ = has_enough([](const Work& work) { return work.unaligned != 0.0; });
    fits_transposed_a_ = has_enough([](const Work& work) { return work.transposed_a; });
    fits_transposed_b_ = has_enough([](const Work& work) { return work.transposed_b; });
    fits_uncached_ = kind != DeviceKind::cpu && has_enough([&rates](const Work& work) {
                       return work.operand_bytes > rates.cached_bytes;
                     });
    adds_parts_ = std::any_of(measured.begin(), measured.end(),
                              [](const Measured& one) { return one.work.parts > 0.0; });
  }

  ConfigSpeed run() const {
    ConfigSpeed best;
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t residents : possible_residents()) {
      const auto cost_of = [&](const Values& values) {
        return cost(speed_of(values, residents)) +
               (known_ == nullptr ? 0.0 : loss_of_leaving(values_of(*known_), values));
      };
      Values found = minimised(known_ == nullptr ? start() : values_of(*known_), cost_of);
      // Below the time of those that run at once in any case, `alone` has no effect, so the search does not
      // find the way up.
      const double at_once = std::min(static_cast<double>(residents), measured_.front().work.abreast);
      const double effective = found[share_at] + std::log(at_once);
      if (kind_ != DeviceKind::cpu && found[alone_at] < effective) {
        Values raised = found;
        raised[alone_at] = effective;
        raised = minimised(raised, cost_of);
        if (cost_of(raised) < cost_of(found)) found = std::move(raised);
      }
      const ConfigSpeed speed = speed_of(found, residents);
      if (cost_of(found) >= least) continue;
      least = cost_of(found);
      best = speed;
    }
    return best;
  }

  double residual(const ConfigSpeed& speed) const {
    double sum = 0.0;
    double weights = 0.0;
    for (const Measured& one : measured_) {
      const double off = std::log(expected(one, speed) / one.seconds);
      sum += one.weight * off * off;
      weights += one.weight;
    }
    return std::sqrt(sum / weights);
  }

 private:
  static constexpr std::ptrdiff_t enough = 8;  // samples for a value

  // Returns whether work-groups compute several tiles in turns in enough samples.
  bool fits_repeated(std::size_t residents) const {
    const auto at_a_time = static_cast<double>(residents * units_);
    return std::count_if(measured_.begin(), measured_.end(), [at_a_time](const Measured& one) {
             return one.work.is_persistent && one.work.groups > at_a_time;
           }) >= enough;
  }

  std::vector<std::size_t> possible_residents() const {
    if (known_ != nullptr) return {known_->residents};
    if (kind_ == DeviceKind::cpu) return {1};
    return {1, 2, 3, 4, 5, 6, 8, 12, 16};
  }

  // Returns values as if only steps took time, and all samples were as fast as the fastest one.
  Values start() const {
    double step = std::numeric_limits<double>::infinity();
    for (const Measured& one : measured_) {
      const Work& work = one.work;
      const double turns = std::max(1.0, work.groups / static_cast<double>(units_));
      step = std::min(step, one.seconds / (turns * work.depth * elements_of(work)));
    }
    ConfigSpeed speed;
    speed.begin = 1e-6;
    speed.alone = step;
    speed.share = step * 0.7;
    return values_of(speed);
  }

  // speed_of() is the reverse.
  Values values_of(const ConfigSpeed& speed) const {
    constexpr double least_begin = 1e-9;
    Values values = {std::max(speed.begin, least_begin),
                     speed.alone,
                     speed.share,
                     speed.prepare > 0.0 ? speed.prepare : first_prepare,
                     speed.unaligned,
                     speed.transposed_a,
                     speed.transposed_b,
                     speed.uncached,
                     std::max(speed.part, least_part),
                     std::max(speed.repeated.value_or(rates_.repeated), least_repeated)};
    for (double& value : values) value = std::log(value);
    return values;
  }

  static constexpr std::size_t alone_at = 1;
  static constexpr std::size_t share_at = 2;
  static constexpr double first_prepare = 30.0;
  static constexpr double least_part = 1e-9;
  static constexpr double least_repeated = 0.05;  // smaller values make no difference
  static double elements_of(const Work& work) {
    return work.share ? cost_of_share(*work.share, first_prepare) : 1.0;
  }

  ConfigSpeed speed_of(const Values& values, std::size_t residents) const {
    // If memory is the limit, no time remains for steps, but tuning files need numbers.
    static constexpr double least = 1e-15;
    static constexpr double least_factor = 0.5;  // smaller values are chance
    const auto seconds = [](double logarithm) { return std::max(std::exp(logarithm), least); };
    ConfigSpeed speed{seconds(values[0]), seconds(values[1]), seconds(values[2]), residents, 0.0, 1.0};
    if (kind_ == DeviceKind::cpu) speed.share = speed.alone;
    if (takes_shares_) speed.prepare = std::exp(values[3]);
    if (fits_unaligned_ || known_ != nullptr) speed.unaligned = std::max(std::exp(values[4]), least_factor);
    if (fits_transposed_a_ || known_ != nullptr)
      speed.transposed_a = std::max(std::exp(values[5]), least_factor);
    if (fits_transposed_b_ || known_ != nullptr)
      speed.transposed_b = std::max(std::exp(values[6]), least_factor);
    if (fits_uncached_ || known_ != nullptr) speed.uncached = std::max(std::exp(values[7]), 1.0);
    if (adds_parts_) speed.part = std::max(std::exp(values[8]), least_part);
    if (fits_repeated(residents) || (known_ != nullptr && known_->repeated))
      speed.repeated = std::min(std::exp(values[9]), 1.0);
    return speed;
  }

  double expected(const Measured& one, const ConfigSpeed& speed) const {
    return seconds_of(predict(one.work, speed, rates_, units_), kind_);
  }

  double cost(const ConfigSpeed& speed) const {
    double sum = 0.0;
    for (const Measured& one : measured_) sum += loss(expected(one, speed), one);
    return sum;
  }

  const std::vector<Measured>& measured_;
  const Rates& rates_;
  std::size_t units_;
  DeviceKind kind_;
  const ConfigSpeed* known_;
  bool takes_shares_ = false;
  bool fits_unaligned_ = false;
  bool fits_uncached_ = false;
  bool fits_transposed_a_ = false;
  bool fits_transposed_b_ = false;
  bool adds_parts_ = false;
};

double multiply_adds_of(const SampleShape& shape) {
  return static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k) *
         static_cast<double>(shape.batch);
}

class Fit {
 public:
  Fit(const std::vector<Sample>& samples, ConfigCache& configs, const Known& known)
      : device_(configs.device()), known_(known) {
    // Callers may allow only fp32 units, so these have a separate best time.
    std::map<std::pair<SampleShape, Precision>, double> best;
    const auto key_of = [&configs](const Sample& sample) {
      const auto kernel = configs.get(sample.config.kernel, without_slices(sample.config).parameters);
      return std::pair(sample.shape, kernel->manifest().precision);
    };
    for (const Sample& sample : samples) {
      const auto place = best.emplace(key_of(sample), sample.seconds).first;
      place->second = std::min(place->second, sample.seconds);
      most_multiply_adds_ = std::max(most_multiply_adds_, multiply_adds_of(sample.shape) / sample.seconds);
    }
    for (const Sample& sample : samples) {
      const Config config = without_slices(sample.config);
      const double weight = std::max(least_weight, std::pow(best.at(key_of(sample)) / sample.seconds, 2)) *
                            (is_large(sample.shape, device_.kind) ? weight_of_large : 1.0);
      measured_[config].push_back({work_of(sample, configs), sample.seconds, weight});
      shapes_[config].insert(sample.shape);
    }
  }

  // Fits rows and rates alternately, because each needs the other.
  Fitted run() {
    constexpr int turns = 2;
    prior_ = scaled_prior();
    fitted_.rates = first_rates();
    fit_rows();
    for (int turn = 0; turn < turns; ++turn) {
      fit_rates();
      fit_rows();
    }
    fitted_.rates.multiply_adds = most_multiply_adds_;
    fitted_.rates.host = known_.way;
    return std::move(fitted_);
  }

 private:
  // Scales all rows by one factor: the median of the factors of all configs.
  Prior scaled_prior() const {
    Prior result = known_.prior;
    std::vector<double> off;
    for (const auto& [config, all] : measured_) {
      const auto row = result.rows.find(config);
      if (row == result.rows.end()) continue;
      std::vector<double> of_config;
      for (const Measured& one : all) {
        const Prediction prediction = predict(one.work, row->second, result.rates, peaks_of(device_).cores);
        of_config.push_back(std::log(one.seconds / seconds_of(prediction, device_.kind)));
      }
      off.push_back(median(std::move(of_config)));
    }
    if (off.empty()) return result;
    const double factor = std::exp(median(std::move(off)));
    for (auto& [config, speed] : result.rows) {
      speed.begin *= factor;
      speed.alone *= factor;
      speed.share *= factor;
      speed.part *= factor;
    }
    return result;
  }

  Rates first_rates() const {
    if (!prior_.rows.empty()) {
      Rates rates = prior_.rates;
      if (device_.kind != DeviceKind::cpu) {
        rates.call_seconds = known_.host.call;
        rates.launch_seconds = known_.host.launch;
      }
      return rates;
    }
    const double fastest = [&] {
      double least = std::numeric_limits<double>::infinity();
      for (const auto& [config, all] : measured_) {
        for (const Measured& one : all) least = std::min(least, one.seconds);
      }
      return least;
    }();
    if (device_.kind == DeviceKind::cpu) return {fastest, fastest / 3, fastest / 8, 2e10, 2e10, 2e10};
    constexpr double unhidden = 0.3;
    constexpr double repeated = 0.5;
    constexpr double uneven = 0.3;
    constexpr double cached = 45e6;  // an H200, whose L2 cache has 50 MB
    return {known_.host.call, known_.host.launch, fastest / 4, 3e12,   3e12,  3e12,
            unhidden,         repeated,           2e-6,        uneven, cached};
  }

  void fit_rows() {
    fitted_.rows.clear();
    for (const auto& [config, all] : measured_) {
      if (all.size() < least_samples) continue;
      const auto known = prior_.rows.find(config);
      const RowFit row(all, fitted_.rates, peaks_of(device_).cores, device_.kind,
                       known == prior_.rows.end() ? nullptr : &known->second);
      const ConfigSpeed speed = row.run();
      fitted_.rows.push_back({config, speed, row.residual(speed), shapes_.at(config).size()});
    }
  }

  void fit_rates() {
    const Rates& from = fitted_.rates;
    const bool is_cpu = device_.kind == DeviceKind::cpu;
    constexpr double most_bytes = 1e18;  // for a device on which no sample waits for memory
    const auto values_of = [is_cpu, most_bytes](const Rates& rates) {
      Values values = {rates.start_seconds, rates.bytes, rates.packing_bytes, rates.adding_bytes};
      if (is_cpu) {
        values.insert(values.end(), {rates.call_seconds, rates.launch_seconds});
      } else {
        values.insert(values.end(), {rates.unhidden, rates.repeated, rates.pass_seconds, rates.uneven,
                                     std::min(rates.cached_bytes, most_bytes)});
      }
      constexpr double least = 1e-9;  // a file may have 0
      for (double& value : values) value = std::log(std::max(value, least));
      return values;
    };
    const auto rates_of = [&](const Values& v) {
      Rates rates = from;
      rates.start_seconds = std::exp(v[0]);
      rates.bytes = std::min(std::exp(v[1]), most_bytes);
      rates.packing_bytes = std::min(std::exp(v[2]), most_bytes);
      rates.adding_bytes = std::min(std::exp(v[3]), most_bytes);
      if (is_cpu) {
        rates.call_seconds = std::exp(v[4]);
        rates.launch_seconds = std::exp(v[5]);
      } else {
        rates.unhidden = std::min(std::exp(v[4]), 1.0);
        rates.repeated = std::min(std::exp(v[5]), 1.0);
        rates.pass_seconds = std::exp(v[6]);
        rates.uneven = std::min(std::exp(v[7]), 1.0);
        if (v[8] < std::log(most_bytes)) rates.cached_bytes = std::exp(v[8]);
      }
      return rates;
    };
    const std::size_t cores = peaks_of(device_).cores;
    const Values known = prior_.rows.empty() ? Values{} : values_of(prior_.rates);
    fitted_.rates = rates_of(minimised(values_of(from), [&](const Values& values) {
      const Rates rates = rates_of(values);
      double sum = loss_of_leaving(known, values);
      for (const ConfigRow& row : fitted_.rows) {
        for (const Measured& one : measured_.at(row.config))
          sum += loss(seconds_of(predict(one.work, row.speed, rates, cores), device_.kind), one);
      }
      return sum;
    }));
  }

  const Device& device_;
  const Known& known_;
  Prior prior_;                      // fitted to the measurements
  double most_multiply_adds_ = 0.0;  // per second
  std::map<Config, std::vector<Measured>> measured_;
  std::map<Config, std::set<SampleShape>> shapes_;
  Fitted fitted_;
};

// Predicts samples with a fit, to which it keeps a reference.
class Predictor {
 public:
  Predictor(const Fitted& fitted, ConfigCache& configs) : fitted_(fitted), configs_(configs) {
    for (const ConfigRow& row : fitted.rows) rows_[row.config] = &row;
  }

  // Returns 0 if no row is for the config.
  double seconds(const Sample& sample) const {
    const auto row = rows_.find(without_slices(sample.config));
    if (row == rows_.end()) return 0.0;
    const Prediction prediction =
        predict(work_of(sample, configs_), row->second->speed, fitted_.rates, configs_.cores());
    return seconds_of(prediction, configs_.device().kind);
  }

 private:
  const Fitted& fitted_;
  ConfigCache& configs_;
  std::map<Config, const ConfigRow*> rows_;
};

constexpr std::size_t thirds_of_shapes = 3;

// Separates every third shape from the others, in the order of measuring, which is random.
struct Thirds {
  Thirds(const std::vector<Sample>& samples, std::size_t turn) {
    std::map<SampleShape, std::size_t> numbers;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::size_t number = numbers.emplace(samples[i].shape, numbers.size()).first->second;
      const bool is_held_out = number % thirds_of_shapes == turn;
      (is_held_out ? held_out : others).push_back(samples[i]);
      if (is_held_out) places.push_back(i);
    }
  }

  std::vector<Sample> others;
  std::vector<Sample> held_out;
  std::vector<std::size_t> places;  // indices in `samples` of those held out
};

// `seconds_of` returns the predicted seconds of the sample with this index, or 0 if nothing is predicted.
template <class SecondsOf>
Regret regret_of(const std::vector<Sample>& samples, const SecondsOf& seconds_of) {
  struct Shape {
    double least_predicted = std::numeric_limits<double>::infinity();
    double chosen = 0.0;
    double best = std::numeric_limits<double>::infinity();
  };
  std::map<SampleShape, Shape> shapes;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Shape& shape = shapes[samples[i].shape];
    shape.best = std::min(shape.best, samples[i].seconds);
    const double seconds = seconds_of(i);
    if (seconds == 0.0 || seconds >= shape.least_predicted) continue;
    shape.least_predicted = seconds;
    shape.chosen = samples[i].seconds;
  }
  Regret result{0.0, 1.0, 0};
  for (const auto& [size, shape] : shapes) {
    if (shape.chosen == 0.0) continue;
    const double ratio = shape.chosen / shape.best;
    result.mean += std::log(ratio);
    result.worst = std::max(result.worst, ratio);
    ++result.shapes;
  }
  result.mean = result.shapes == 0 ? 1.0 : std::exp(result.mean / static_cast<double>(result.shapes));
  return result;
}

}  // namespace

Fitted fit(const std::vector<Sample>& samples, ConfigCache& configs, const Known& known) {
  return Fit(samples, configs, known).run();
}

Regret regret(const Fitted& fitted, const std::vector<Sample>& samples, ConfigCache& configs) {
  const Predictor predictor(fitted, configs);
  return regret_of(samples, [&](std::size_t i) { return predictor.seconds(samples[i]); });
}

Fitted rows_of(const SpeedTable& table, ConfigCache& configs) {
  Fitted result{table.rates, {}};
  for (const ConfigRow& row : table.rows()) {
    try {
      const SharedConfig kernel = configs.get(row.config.kernel, row.config.parameters);
      result.rows.push_back({row.config, table.speed_of(row, *kernel), row.residual, row.shapes});
    } catch (const Error& error) {
      if (!fault_of(error.code())) throw;
    }
  }
  return result;
}

Comparison compare(const std::vector<Sample>& samples, ConfigCache& configs, const Known& known,
                   const Fitted& other) {
  const std::vector<double> unseen = unseen_predictions(samples, configs, known);
  return {regret_of(samples, [&](std::size_t i) { return unseen[i]; }), regret(other, samples, configs)};
}

HeldOut held_out_regret(const std::vector<Sample>& samples, ConfigCache& configs, const Known& known) {
  const Thirds thirds(samples, thirds_of_shapes - 1);
  const Fitted fitted = fit(thirds.others, configs, known);
  std::vector<Sample> batches;
  std::copy_if(thirds.held_out.begin(), thirds.held_out.end(), std::back_inserter(batches),
               [](const Sample& sample) { return sample.shape.batch > 1; });
  return {regret(fitted, thirds.held_out, configs), regret(fitted, batches, configs)};
}

std::vector<double> unseen_predictions(const std::vector<Sample>& samples, ConfigCache& configs,
                                       const Known& known) {
  std::vector<double> result(samples.size(), 0.0);
  for (std::size_t turn = 0; turn < thirds_of_shapes; ++turn) {
    const Thirds thirds(samples, turn);
    const Fitted fitted = fit(thirds.others, configs, known);
    const Predictor predictor(fitted, configs);
    for (const std::size_t place : thirds.places) result[place] = predictor.seconds(samples[place]);
  }
  return result;
}

}  // namespace clgemm::tune
