#include "writing/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "common/statistics.hpp"
#include "common/text_table.hpp"
#include "figures/summary.hpp"
#include "kernel/kernel_config.hpp"
#include "kernel/precision.hpp"

namespace clgemm::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double least_noise = 0.03;
constexpr double one_run_noise = 0.2;

// A kernel at a shape of one run. The matching entry of another run has the same key.
struct Entry {
  const Results* run;
  const ShapeResult* shape;
  const KernelResult* kernel;
};

// The parameters are a part of the key only if the user named the kernel, because clgemm may change its own
// choice.
std::string key_of(const Entry& entry) {
  const auto& [run, shape, kernel] = entry;
  const GemmKind& kind = shape->kind;
  return fmt::format("{}|{}|{}|{}|{}|{} {}|{}|{}", run->facts.device, kernel->asked,
                     kernel->is_own_choice() ? "" : describe_values(kernel->parameters),
                     describe_shape(*shape), to_string(shape->size), kind.alpha, kind.beta,
                     shape->rotation.has_value(), run->precision == Precision::fp32);
}

std::vector<Entry> entries_of(const std::vector<Results>& runs) {
  std::vector<Entry> entries;
  for (const Results& run : runs) {
    for (const ShapeResult& shape : run.shapes) {
      for (const KernelResult& kernel : shape.kernels) entries.push_back({&run, &shape, &kernel});
    }
  }
  return entries;
}

ComparedKernel describe(const Entry& entry) {
  return {entry.kernel->title(), describe_shape(*entry.shape), entry.kernel->figures};
}

bool comparable(const Figures& before, const Figures& after) {
  return before.measured() && after.measured() && before.min_ms && after.min_ms &&
         before.clock == after.clock;
}

double change(double before, double after) {
  return after / before - 1.0;
}

// Returns the square of the possible error of the median, relative to the median.
double variance(const Figures& figures) {
  const double spread = (*figures.median_ms - *figures.min_ms) / *figures.median_ms;
  return spread * spread / static_cast<double>(std::max<std::size_t>(figures.runs, 1));
}

// Returns how much slower the peers with the same program became, or 0 if there are none.
double change_of_peers(const ShapeResult& before, const ShapeResult& after) {
  std::vector<double> changes;
  for (const PeerResult& peer : after.peers) {
    const PeerResult* earlier = before.peer(peer.name);
    const bool same =
        earlier != nullptr && earlier->version == peer.version && earlier->settings == peer.settings;
    if (!same || !comparable(earlier->figures, peer.figures)) continue;
    changes.push_back(change(*earlier->figures.min_ms, *peer.figures.min_ms));
  }
  return changes.empty() ? 0.0 : median(changes);
}

double noise_of(const Comparison& rows, double change_of_peers) {
  const Figures& before = rows.before.figures;
  const Figures& after = rows.after.figures;
  const auto runs = static_cast<double>(std::max<std::size_t>(std::min(before.runs, after.runs), 1));
  const double of_machine = change_of_peers * rows.min_change > 0.0 ? std::fabs(change_of_peers) : 0.0;
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

bool is_right(const Figures& figures) {
  return figures.measured() && !figures.failed();
}

Comparison compare_entries(const Entry& before, const Entry& after) {
  return compare_kernels(describe(before), describe(after), change_of_peers(*before.shape, *after.shape));
}

using NameOf = std::function<std::string(const Entry& entry)>;

// Returns the names of one property in all rows of a file.
std::set<std::string> names_in(const std::vector<Entry>& entries, const NameOf& name) {
  std::set<std::string> names;
  for (const Entry& entry : entries) names.insert(name(entry));
  return names;
}

// Describes a property in which no row of one file matches a row of the other.
std::string difference_of(const std::vector<Results>& before, const std::vector<Results>& after) {
  const std::pair<const char*, NameOf> aspects[] = {
      {"device", [](const Entry& entry) { return entry.run->facts.device; }},
      {"precision", [](const Entry& entry) { return std::string(to_string(entry.run->precision)); }},
      {"kernel", [](const Entry& entry) { return entry.kernel->asked; }},
      {"size", [](const Entry& entry) { return describe_shape(*entry.shape); }},
      {"alpha", [](const Entry& entry) { return fmt::format("{}", entry.shape->kind.alpha); }},
      {"beta", [](const Entry& entry) { return fmt::format("{}", entry.shape->kind.beta); }},
      {"copies of the matrices",
       [](const Entry& entry) { return entry.shape->rotation ? "several" : "one"; }}};
  if (entries_of(before).empty() || entries_of(after).empty())
    return fmt::format("there are no results in the {} file", entries_of(before).empty() ? "old" : "new");
  std::vector<std::string> differences;
  for (const auto& [aspect, name_of] : aspects) {
    const std::set<std::string> old_names = names_in(entries_of(before), name_of);
    const std::set<std::string> new_names = names_in(entries_of(after), name_of);
    const bool shared = std::any_of(old_names.begin(), old_names.end(),
                                    [&](const std::string& name) { return new_names.count(name) != 0; });
    if (shared) continue;
    differences.push_back(fmt::format("{} {} in the old file, {} in the new one", aspect,
                                      fmt::join(old_names, " / "), fmt::join(new_names, " / ")));
  }
  return differences.empty()
             ? "no two results have the same device, precision, kernel, parameters, size, alpha and beta"
             : fmt::format("{}", fmt::join(differences, "; "));
}

std::size_t how_many(const ComparedFiles& compared, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(compared.rows.begin(), compared.rows.end(),
                    [verdict](const ComparedFiles::Row& row) { return row.verdict == verdict; }));
}

// `entries` are those of one row, one for each file that has it.
ComparedFiles::Row row_of(const std::vector<std::optional<Entry>>& entries) {
  const auto first =
      std::find_if(entries.begin(), entries.end(), [](const auto& one) { return one.has_value(); });
  ComparedFiles::Row row;
  for (std::size_t file = 0; file < entries.size(); ++file) {
    row.median_ms.push_back(entries[file] ? entries[file]->kernel->figures.median_ms : std::nullopt);
    if (!entries[file]) continue;
    const Verdict earlier = row.verdict;
    static_cast<Comparison&>(row) = compare_entries(**first, *entries[file]);
    if (row.verdict != earlier) row.since = file;
  }
  if (!entries.back()) row.verdict = Verdict::missing;
  if (std::next(first) == entries.end()) row.verdict = Verdict::only_new;
  return row;
}

constexpr const char* rule =
    "Slower or faster means that the median and the minimum both changed by more than the noise. The noise "
    "is the\n"
    "largest of these: 3 % and 20 % / runs; the difference between the two changes; the uncertainty of the "
    "medians;\n"
    "and the change of the peers that are the same program in both files.\n";

bool has_changes(const Comparison& row) {
  return row.verdict == Verdict::same || row.verdict == Verdict::faster || row.verdict == Verdict::slower;
}

Json json_of(const ComparedFiles& compared) {
  Json object = {{"got_worse", got_worse(compared)},
                 {"files", compared.files},
                 {"busy_files", compared.busy_files},
                 {"rows", Json::array()}};
  for (const ComparedFiles::Row& row : compared.rows) {
    Json times = Json::array();
    for (const std::optional<double>& ms : row.median_ms) times.push_back(ms ? Json(*ms) : Json(nullptr));
    object["rows"].push_back({{"verdict", to_string(row.verdict)},
                              {"kernel", row.after.title},
                              {"shape", row.after.shape},
                              {"median_ms", times},
                              {"median_change", row.median_change},
                              {"min_change", row.min_change},
                              {"noise", row.noise},
                              {"since", row.since == 0 ? Json(nullptr) : Json(compared.files[row.since])}});
  }
  return object;
}

TextTable table_of(const ComparedFiles& compared) {
  const bool is_history = compared.files.size() > 2;
  std::vector<TextColumn> columns = {{"", Align::left}, {"kernel", Align::left}, {"m n k", Align::left}};
  for (const std::string& file : compared.files)
    columns.push_back({file + " ms", Align::right, is_history ? 0 : 3});
  columns.insert(columns.end(), {{"median"}, {"minimum", Align::right, 2}, {"noise", Align::right, 1}});
  if (is_history) columns.push_back({"since", Align::left, 1});
  TextTable table(columns);
  for (const ComparedFiles::Row& row : compared.rows) {
    std::vector<std::string> cells = {to_string(row.verdict), row.after.title, row.after.shape};
    for (const std::optional<double>& ms : row.median_ms) cells.push_back(figure_or_dash(ms));
    for (const double change : {row.median_change, row.min_change})
      cells.push_back(has_changes(row) ? fmt::format("{:+.1f} %", change * 100.0) : "-");
    cells.push_back(has_changes(row) ? fmt::format("{:.1f} %", row.noise * 100.0) : "-");
    if (is_history) cells.push_back(row.since == 0 ? "" : compared.files[row.since]);
    table.add_row(cells);
  }
  return table;
}

}  // namespace

const char* to_string(Verdict verdict) {
  static const std::map<Verdict, const char*> words = {
      {Verdict::same, "same"},       {Verdict::faster, "faster"},
      {Verdict::slower, "SLOWER"},   {Verdict::fails, "FAILS NOW"},
      {Verdict::missing, "MISSING"}, {Verdict::not_comparable, "not comparable"},
      {Verdict::only_new, "new"}};
  return words.at(verdict);
}

Comparison compare_kernels(const ComparedKernel& before, const ComparedKernel& after,
                           double change_of_peers) {
  Comparison rows{before, after};
  if (is_right(before.figures) && !is_right(after.figures)) {
    rows.verdict = Verdict::fails;
  } else if (!comparable(before.figures, after.figures)) {
    rows.verdict = Verdict::not_comparable;
  } else {
    rows.median_change = change(*before.figures.median_ms, *after.figures.median_ms);
    rows.min_change = change(*before.figures.min_ms, *after.figures.min_ms);
    rows.noise = noise_of(rows, change_of_peers);
    rows.verdict = verdict_of(rows);
  }
  return rows;
}

ComparedFiles compare(const std::vector<std::string>& files, const std::vector<std::vector<Results>>& runs) {
  ComparedFiles compared{files, {}, {}, {}};
  std::vector<std::vector<std::optional<Entry>>> all;  // by row, then by file
  std::map<std::string, std::size_t> row_with;
  for (std::size_t file = 0; file < runs.size(); ++file) {
    // If a file has the same GEMM twice, the first ones match each other.
    std::map<std::string, std::size_t> times;
    for (const Entry& entry : entries_of(runs[file])) {
      const std::string key = key_of(entry);
      const auto [row, is_new] = row_with.emplace(fmt::format("{}|{}", key, times[key]++), all.size());
      if (is_new) all.emplace_back(runs.size());
      all[row->second][file] = entry;
    }
    if (std::any_of(runs[file].begin(), runs[file].end(), was_busy))
      compared.busy_files.push_back(files[file]);
  }
  bool any_in_common = false;
  for (const std::vector<std::optional<Entry>>& entries : all) {
    compared.rows.push_back(row_of(entries));
    any_in_common = any_in_common || std::count(entries.begin(), entries.end(), std::nullopt) + 1 <
                                         static_cast<std::ptrdiff_t>(entries.size());
  }
  if (!any_in_common) compared.nothing_in_common = difference_of(runs.front(), runs.back());
  return compared;
}

bool got_worse(const ComparedFiles& compared) {
  return how_many(compared, Verdict::slower) + how_many(compared, Verdict::fails) +
             how_many(compared, Verdict::missing) !=
         0;
}

void write_comparison(std::ostream& out, const ComparedFiles& compared, Format format) {
  if (format == Format::json) {
    out << json_of(compared).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    return;
  }
  const TextTable table = table_of(compared);
  format == Format::markdown ? table.print_markdown(out) : table.print(out);
  if (!compared.nothing_in_common.empty())
    out << fmt::format("\nThere is nothing to compare: {}.\n", compared.nothing_in_common);
  out << fmt::format(
      "\n{} compared: {} slower, {} faster, {} fail now, {} not comparable; {} missing in the newest file, "
      "{} "
      "only in the newest file.\n",
      compared.rows.size(), how_many(compared, Verdict::slower), how_many(compared, Verdict::faster),
      how_many(compared, Verdict::fails), how_many(compared, Verdict::not_comparable),
      how_many(compared, Verdict::missing), how_many(compared, Verdict::only_new));
  if (compared.files.size() > 2)
    out << "The newest file is compared with the oldest one that has the row. \"since\" names the first file "
           "for "
           "which the result holds.\n";
  if (!compared.busy_files.empty())
    out << fmt::format("Warning: other programs kept the machine busy during the runs of: {}.\n",
                       fmt::join(compared.busy_files, ", "));
  out << rule;
}

}  // namespace clgemm::bench
