#include "writing/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "common/statistics.hpp"
#include "common/text_table.hpp"

namespace clgemm::bench {
namespace {

constexpr double least_noise = 0.03;
constexpr double one_run_noise = 0.2;

// Which parameters are the same multiply's is ours to say only where the user did not name the kernel.
std::string key_of(const Row& row) {
  return fmt::format("{}|{}|{}|{}|{} {} {}|{} {}|{}|{}", row.device, row.asked,
                     row.asked == "auto" ? "" : row.parameters, describe_shape(row), row.m, row.n, row.k,
                     row.alpha, row.beta, row.rotated_copies != 0,
                     row.precision == "fp32" ? row.precision : "");
}

bool comparable(const Figures& before, const Figures& after) {
  return before.measured() && after.measured() && before.min_ms && after.min_ms &&
         before.clock == after.clock;
}

double change(double before, double after) {
  return after / before - 1.0;
}

// The square of what the median of these runs may be off by, relative to it.
double variance(const Figures& figures) {
  const double spread = (*figures.median_ms - *figures.min_ms) / *figures.median_ms;
  return spread * spread / static_cast<double>(std::max<std::size_t>(figures.runs, 1));
}

// How much slower peers became that are the same program as before; 0 where there are none.
double change_of_peers(const Row& before, const Row& after) {
  std::vector<double> changes;
  for (const PeerRow& peer : after.peers) {
    for (const PeerRow& earlier : before.peers) {
      const bool same =
          earlier.name == peer.name && earlier.version == peer.version && earlier.settings == peer.settings;
      if (!same || !comparable(earlier.figures, peer.figures)) continue;
      changes.push_back(change(*earlier.figures.min_ms, *peer.figures.min_ms));
    }
  }
  return changes.empty() ? 0.0 : median(changes);
}

double noise_of(const Comparison& rows) {
  const Figures& before = rows.before.figures;
  const Figures& after = rows.after.figures;
  const auto runs = static_cast<double>(std::max<std::size_t>(std::min(before.runs, after.runs), 1));
  const double peers = change_of_peers(rows.before, rows.after);
  const double of_machine = peers * rows.min_change > 0.0 ? std::fabs(peers) : 0.0;
  const double of_runs = std::sqrt(variance(before) + variance(after));
  const double apart = std::fabs(rows.median_change - rows.min_change);
  return std::max({least_noise + one_run_noise / runs, apart, of_runs, of_machine});
}

Verdict verdict_of(const Comparison& rows) {
  const double least = std::min(rows.median_change, rows.min_change);
  const double most = std::max(rows.median_change, rows.min_change);
  if (least > rows.noise) return Verdict::slower;
  return most < -rows.noise ? Verdict::faster : Verdict::same;
}

bool fails(const Row& before, const Row& after) {
  const bool was_right = before.figures.measured() && before.figures.passed.value_or(true);
  return was_right && (!after.figures.measured() || !after.figures.passed.value_or(true));
}

Comparison compare_rows(const Row& before, const Row& after) {
  Comparison rows{before, after};
  if (fails(before, after)) {
    rows.verdict = Verdict::fails;
  } else if (!comparable(before.figures, after.figures)) {
    rows.verdict = Verdict::not_comparable;
  } else {
    rows.median_change = change(*before.figures.median_ms, *after.figures.median_ms);
    rows.min_change = change(*before.figures.min_ms, *after.figures.min_ms);
    rows.noise = noise_of(rows);
    rows.verdict = verdict_of(rows);
  }
  return rows;
}

const char* word(Verdict verdict) {
  static const std::map<Verdict, const char*> words = {{Verdict::same, "same"},
                                                       {Verdict::faster, "faster"},
                                                       {Verdict::slower, "SLOWER"},
                                                       {Verdict::fails, "FAILS NOW"},
                                                       {Verdict::not_comparable, "not comparable"}};
  return words.at(verdict);
}

std::string percent(double value) {
  return fmt::format("{:+.1f} %", value * 100.0);
}

std::string figure(const std::optional<double>& value) {
  return value ? format_figure(*value) : "-";
}

std::size_t how_many(const ComparedFiles& compared, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(compared.rows.begin(), compared.rows.end(),
                    [verdict](const Comparison& rows) { return rows.verdict == verdict; }));
}

void add_row(TextTable& table, const Comparison& rows) {
  const bool both = rows.verdict != Verdict::fails && rows.verdict != Verdict::not_comparable;
  table.add_row({word(rows.verdict), rows.after.title(), describe_shape(rows.after),
                 figure(rows.before.figures.median_ms), figure(rows.after.figures.median_ms),
                 both ? percent(rows.median_change) : "-", both ? percent(rows.min_change) : "-",
                 both ? fmt::format("{:.1f} %", rows.noise * 100.0) : "-"});
}

}  // namespace

ComparedFiles compare(const std::vector<Row>& before, const std::vector<Row>& after) {
  // Where a file has the same multiply twice, the first goes with the first.
  std::map<std::string, std::vector<const Row*>> waiting;
  for (const Row& row : before) waiting[key_of(row)].push_back(&row);
  ComparedFiles compared;
  for (const Row& row : after) {
    std::vector<const Row*>& earlier = waiting[key_of(row)];
    if (earlier.empty()) {
      ++compared.only_after;
      continue;
    }
    compared.rows.push_back(compare_rows(*earlier.front(), row));
    earlier.erase(earlier.begin());
  }
  for (const auto& [key, rows] : waiting) {
    for (const Row* row : rows) compared.only_before.push_back(*row);
  }
  return compared;
}

bool got_worse(const ComparedFiles& compared) {
  return how_many(compared, Verdict::slower) + how_many(compared, Verdict::fails) != 0 ||
         !compared.only_before.empty();
}

void write_comparison(std::ostream& out, const ComparedFiles& compared) {
  TextTable table({{"", Align::left},
                   {"kernel", Align::left},
                   {"m n k", Align::left},
                   {"old ms", Align::right, 3},
                   {"new ms", Align::right, 3},
                   {"median"},
                   {"minimum", Align::right, 2},
                   {"noise", Align::right, 1}});
  for (const Comparison& rows : compared.rows) add_row(table, rows);
  for (const Row& row : compared.only_before) {
    table.add_row(
        {"MISSING", row.title(), describe_shape(row), figure(row.figures.median_ms), "-", "-", "-", "-"});
  }
  table.print(out);
  out << fmt::format(
      "\n{} compared: {} slower, {} faster, {} fail now, {} not comparable; {} missing in the new "
      "file, {} only there.\n",
      compared.rows.size(), how_many(compared, Verdict::slower), how_many(compared, Verdict::faster),
      how_many(compared, Verdict::fails), how_many(compared, Verdict::not_comparable),
      compared.only_before.size(), compared.only_after);
  out << "Slower or faster: the median and the minimum both changed by more than the noise, which is the "
         "largest of\n"
         "3 % and 20 % / runs, how far both changes are apart, what medians of such runs may differ by, and "
         "the\n"
         "change of the peers that are the same program in both files.\n";
}

}  // namespace clgemm::bench
