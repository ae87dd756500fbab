#include "tune/searching/size_search.hpp"

#include <algorithm>

namespace clgemm::tune {
namespace {

constexpr double hopeless = 3.0;     // times the best; slower configs get no second run
constexpr std::size_t to_rank = 10;  // at least, of the quick ones; otherwise a quarter
constexpr std::size_t hills = 2;     // from which the search climbs
constexpr std::size_t to_decide = 3;
constexpr double nearly = 1.1;           // a quick time within this of the best leads to another measurement
constexpr double step_gain = 0.99;       // a step must gain more than the noise
constexpr double worth_a_change = 0.98;  // less is noise, and then the choice without data stays
constexpr double never = 1e300;
constexpr std::size_t most_steps = 12;
constexpr double part_for_sample = 0.5;  // parts of the budget
constexpr double part_for_ranking = 0.65;
constexpr double part_for_climbing = 0.9;
constexpr double all_of_it = 1e9;  // a decision is measured to the end

template <class List>
void sort_by_time(List& list) {
  std::stable_sort(list.begin(), list.end(), [](const auto& x, const auto& y) { return x.ms < y.ms; });
}

}  // namespace

SizeSearch::SizeSearch(const bench::Size& size, const std::vector<KernelSpace>& spaces,
                       std::vector<Config> starts, std::set<std::string> hopeless_configs,
                       const SearchSettings& settings, Measure measure)
    : size_(size),
      spaces_(spaces),
      starts_(std::move(starts)),
      hopeless_(std::move(hopeless_configs)),
      settings_(settings),
      measure_(std::move(measure)) {}

std::vector<Config> SizeSearch::sample() const {
  std::vector<Config> configs = starts_;
  std::vector<KernelSpace> sampled;
  for (const KernelSpace& space : spaces_) {
    if (hopeless_.count(space.kernel) == 0) sampled.push_back(space);
  }
  for (Config& config : random_sample(sampled, settings_.samples, settings_.seed)) {
    if (std::find(configs.begin(), configs.end(), config) == configs.end())
      configs.push_back(std::move(config));
  }
  return configs;
}

bool SizeSearch::measure(const Config& config, Care care, std::optional<double>& ms) {
  const auto outcome = measure_({size_, config, care}, best_quick_ms_ * hopeless);
  if (!outcome) return false;
  spent_s_ += outcome->spent_s;
  ms = outcome->is_right() ? std::optional(outcome->ms) : std::nullopt;
  if (outcome->is_late()) {
    ++late_;
    if (!starts_.empty() && config == starts_[0]) first_was_late_ = true;
  }
  if (!ms) return true;
  if (best_quick_ms_ == 0.0 || *ms < best_quick_ms_) best_quick_ms_ = *ms;
  const auto place = best_of_kernels_.emplace(config.kernel, *ms).first;
  place->second = std::min(place->second, *ms);
  return true;
}

bool SizeSearch::measure_all(const std::vector<Config>& configs, Care care, double budget_part,
                             std::vector<Measured>& right) {
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (i > 0 && !has_budget(budget_part)) break;
    std::optional<double> ms;
    if (!measure(configs[i], care, ms)) return false;
    if (ms) right.push_back({configs[i], *ms});
  }
  sort_by_time(right);
  return true;
}

bool SizeSearch::run() {
  std::vector<Measured> quick;
  if (!measure_all(sample(), Care::quick, part_for_sample, quick)) return false;
  std::vector<Config> promising;
  for (const Measured& one : quick) {
    if (promising.size() < std::max(to_rank, quick.size() / 4)) promising.push_back(one.config);
  }
  std::vector<Measured> ranked;
  if (!measure_all(promising, Care::ranked, part_for_ranking, ranked)) return false;
  const std::vector<Measured> tops(
      ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(std::min(hills, ranked.size())));
  for (const Measured& top : tops) {
    if (!climb(top, ranked)) return false;
  }
  return decide(std::move(ranked));
}

bool SizeSearch::climb(const Measured& start, std::vector<Measured>& ranked) {
  Measured current = start;
  for (std::size_t step = 0; step < most_steps && has_budget(part_for_climbing); ++step) {
    bool moved = false;
    if (!climb_step(current, ranked, moved)) return false;
    if (!moved) break;
  }
  return true;
}

bool SizeSearch::climb_step(Measured& current, std::vector<Measured>& ranked, bool& moved) {
  const KernelSpace* space = space_with(current.config);
  if (space == nullptr) return true;
  std::vector<Measured> quick;
  if (!measure_all(neighbours(*space, current.config), Care::quick, part_for_climbing, quick)) return false;
  const Measured before = current;
  for (const Measured& neighbour : quick) {
    if (neighbour.ms > before.ms * nearly) break;
    std::optional<double> ms;
    if (!measure(neighbour.config, Care::ranked, ms)) return false;
    if (!ms) continue;
    const auto is_same = [&](const Measured& one) { return one.config == neighbour.config; };
    if (std::none_of(ranked.begin(), ranked.end(), is_same)) ranked.push_back({neighbour.config, *ms});
    if (*ms < current.ms * step_gain) current = {neighbour.config, *ms};
  }
  moved = current.config != before.config;
  return true;
}

bool SizeSearch::decide(std::vector<Measured> ranked) {
  sort_by_time(ranked);
  std::vector<Config> finalists;
  for (const Measured& one : ranked) {
    if (finalists.size() < to_decide) finalists.push_back(one.config);
  }
  if (!starts_.empty() && std::find(finalists.begin(), finalists.end(), starts_[0]) == finalists.end())
    finalists.push_back(starts_[0]);
  std::vector<Measured> decided;
  std::vector<Measured> again;
  if (!measure_all(finalists, Care::decided, all_of_it, decided)) return false;
  if (!measure_all(finalists, Care::decided_again, all_of_it, again)) return false;
  for (Measured& one : decided) {
    const auto same = std::find_if(again.begin(), again.end(),
                                   [&](const Measured& other) { return other.config == one.config; });
    if (same == again.end()) {
      one.ms = never;  // it was wrong, or slower, the second time
    } else {
      one.ms = std::min(one.ms, same->ms);
    }
  }
  sort_by_time(decided);
  if (decided.empty() || decided[0].ms == never) return true;
  winner_ = Winner{decided[0].config, decided[0].ms, 0.0};
  for (const Measured& one : decided) {
    if (starts_.empty() || one.config != starts_[0] || one.ms == never) continue;
    winner_->first_ms = one.ms;
    if (winner_->ms > one.ms * worth_a_change) winner_ = Winner{one.config, one.ms, one.ms};
  }
  winner_->first_was_late = winner_->first_ms == 0.0 && first_was_late_;
  return true;
}

const KernelSpace* SizeSearch::space_with(const Config& config) const {
  const auto found = std::find_if(spaces_.begin(), spaces_.end(),
                                  [&](const KernelSpace& space) { return space.kernel == config.kernel; });
  return found == spaces_.end() ? nullptr : &*found;
}

}  // namespace clgemm::tune
