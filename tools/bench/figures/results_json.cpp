#include "figures/results_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_depth.hpp"
#include "base/printable.hpp"
#include "common/find_or_add.hpp"
#include "common/usage_error.hpp"
#include "figures/summary.hpp"
#include "kernel/kernel_config.hpp"
#include "kernel/precision.hpp"

namespace clgemm::bench {
namespace {

using Json = nlohmann::ordered_json;

template <class Owner, class Value>
struct Key {
  const char* name;
  Value Owner::*member;
};

// The keys of an object in order. Members that need more than a key are written between and after them.
constexpr Key<Facts, std::string> fact_keys[] = {
    {"date", &Facts::date},     {"clgemm_version", &Facts::clgemm_version},
    {"commit", &Facts::commit}, {"host", &Facts::host},
    {"device", &Facts::device}, {"platform", &Facts::platform},
    {"driver", &Facts::driver}, {"clocks", &Facts::clocks},
    {"power", &Facts::power},   {"timer", &Facts::timer}};
constexpr Key<Figures, std::optional<double>> figure_keys[] = {{"median_ms", &Figures::median_ms},
                                                               {"min_ms", &Figures::min_ms},
                                                               {"p95_ms", &Figures::p95_ms},
                                                               {"low_ms", &Figures::low_ms},
                                                               {"high_ms", &Figures::high_ms},
                                                               {"spread", &Figures::spread},
                                                               {"gflops", &Figures::gflops},
                                                               {"call_ms", &Figures::call_ms},
                                                               {"call_low_ms", &Figures::call_low_ms},
                                                               {"call_high_ms", &Figures::call_high_ms},
                                                               {"first_call_ms", &Figures::first_call_ms},
                                                               {"host_ms", &Figures::host_ms},
                                                               {"error_ratio", &Figures::error_ratio},
                                                               {"cold_ms", &Figures::cold_ms},
                                                               {"warm_ms", &Figures::warm_ms}};
constexpr Key<Figures, std::size_t> count_keys[] = {{"runs", &Figures::runs},
                                                    {"launches", &Figures::launches}};
constexpr Key<Ceilings, double> ceiling_keys[] = {{"fp32_gflops", &Ceilings::fp32_gflops},
                                                  {"read_gbs", &Ceilings::read_gbs},
                                                  {"copy_gbs", &Ceilings::copy_gbs},
                                                  {"cache_gbs", &Ceilings::cache_gbs},
                                                  {"tensor_gflops", &Ceilings::tensor_gflops}};
constexpr const char* not_fp32 = "not fp32, so a failed check is expected and does not fail the run";

template <class Value>
Json value_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

const char* yes_or_no(Transpose transpose) {
  return transpose == Transpose::yes ? "yes" : "no";
}

void add_figures(Json& object, const Figures& figures) {
  for (const auto& [key, member] : figure_keys) object[key] = value_or_null(figures.*member);
  object["clock"] = figures.clock ? Json(*figures.clock == Clock::device ? "device" : "host") : Json(nullptr);
  for (const auto& [key, member] : count_keys) object[key] = figures.*member;
  object["passed"] = value_or_null(figures.passed);
  if (!figures.samples_ms.empty()) object["samples_ms"] = figures.samples_ms;
}

// Adds the values by which this result is compared with the others at its shape.
void add_comparison(Json& object, const std::string& title, const ShapeResult& shape,
                    const Figures& figures) {
  object["title"] = title;
  const std::optional<Time> time = shape.time(figures);
  const std::optional<double> rate = shape.rate(figures);
  if (!time || !rate) return;
  object["rate"] = *rate;
  if (time->low_ms > 0.0 && time->low_ms < time->high_ms) {
    object["rate_low"] = *rate * time->ms / time->high_ms;
    object["rate_high"] = *rate * time->ms / time->low_ms;
  }
  const Figures* fastest = shape.fastest();
  object["best"] = fastest != nullptr && figures.computes_in_fp32 && !figures.failed() &&
                   (&figures == fastest || (figures.low_ms && shape.within_noise(figures, *fastest)));
}

Json peer_object(const PeerResult& peer) {
  Json object;
  object["version"] = peer.version;
  object["settings"] = peer.settings;
  add_figures(object, peer.figures);
  if (!peer.figures.reason.empty()) object["error"] = peer.figures.reason;
  if (!peer.figures.computes_in_fp32) object["note"] = not_fp32;
  return object;
}

Json peers_object(const Results& results, const ShapeResult& shape) {
  Json peers(Json::value_t::object);
  for (const PeerResult& peer : shape.peers) {
    peers[peer.name] = peer_object(peer);
    add_comparison(peers[peer.name], peer_title(peer.name), shape, peer.figures);
  }
  for (const MissingPeer& missing : results.missing_peers) {
    PeerResult peer;
    peer.figures.reason = missing.reason;
    for (const std::string& name : missing.names) {
      peers[name] = peer_object(peer);
      peers[name]["title"] = peer_title(name);
    }
  }
  return peers;
}

void add_gemm(Json& object, const Case& one) {
  object["m"] = one.size.m;
  object["n"] = one.size.n;
  object["k"] = one.size.k;
  object["layout"] = one.kind.layout == Layout::row_major ? "row" : "column";
  object["transpose_a"] = yes_or_no(one.kind.transpose_a);
  object["transpose_b"] = yes_or_no(one.kind.transpose_b);
  object["gap"] = one.kind.gap;
  object["batch"] = one.kind.batch_count;
  object["alpha"] = one.kind.alpha;
  object["beta"] = one.kind.beta;
}

Json ceilings_object(const std::optional<Ceilings>& ceilings) {
  if (!ceilings) return nullptr;
  Json object;
  for (const auto& [key, member] : ceiling_keys) object[key] = (*ceilings).*member;
  return object;
}

Json run_object(const Results& results) {
  Json object;
  for (const auto& [key, member] : fact_keys) object[key] = results.facts.*member;
  object["precision"] = to_string(results.precision);
  object["part_of_others"] = value_or_null(results.part_of_others);
  object["ceilings"] = ceilings_object(results.ceilings);
  return object;
}

Json kernel_object(const Results& results, const ShapeResult& shape, const KernelResult& kernel) {
  Json object;
  object["kernel"] = kernel.kernel;
  object["asked"] = kernel.asked;
  if (!shape.label.empty()) object["label"] = shape.label;
  object["parameters"] = Json(Json::value_t::object);
  for (const auto& [name, value] : kernel.parameters) object["parameters"][name] = value;
  add_gemm(object, shape);
  add_figures(object, kernel.figures);
  object["rotated_copies"] = shape.rotation ? Json(shape.rotation->copies) : Json(nullptr);
  object["rotated_bytes"] = shape.rotation ? Json(shape.rotation->bytes) : Json(nullptr);
  object["error_bound"] = value_or_null(shape.error_bound);
  object["checked_elements"] = shape.checked_elements;
  object["host_bound_ms"] = value_or_null(shape.host_bound_ms);
  if (kernel.outcome == Outcome::skipped) object["skipped"] = kernel.figures.reason;
  if (kernel.outcome == Outcome::failed) object["error"] = kernel.figures.reason;
  object["x_naive"] = value_or_null(shape.speed_up(shape.naive, kernel.figures));
  object["x_clblast"] = value_or_null(shape.speed_up(shape.peer_figures("clblast"), kernel.figures));
  object["peer_difference_ratio"] = kernel.agreement ? Json(kernel.agreement->error_ratio) : Json(nullptr);
  object["on_fp32_units"] = value_or_null(kernel.on_fp32_units);
  object["shape"] = describe_labelled(shape);
  add_comparison(object, kernel.title(), shape, kernel.figures);
  object["peers"] = peers_object(results, shape);
  return object;
}

// Summarizes all rows for readers of the file that do not have this program. The program itself makes its own
// summary.
Json summary_object(const Results& results, const BesidePeer& beside) {
  Json object;
  object["beside"] = beside.peer;
  object["of"] = own_title(results);
  object["shapes"] = beside.shapes;
  object["geometric_mean"] = beside.geometric_mean;
  object["at_least_as_fast"] = beside.at_least_one;
  object["others_within_noise"] = beside.within_noise;
  object["worst"] = Json(Json::value_t::array);
  for (const RatioAtShape& one : beside.worst) {
    Json& shape = object["worst"].emplace_back();
    shape["ratio"] = one.ratio;
    shape["shape"] = describe_labelled(*one.shape);
    if (!one.shape->label.empty()) shape["label"] = one.shape->label;
    add_gemm(shape, *one.shape);
  }
  return object;
}

// Returns the value of a key, or null if it is missing or null.
const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<double> number(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value != nullptr && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

std::optional<bool> truth(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value != nullptr && value->is_boolean() ? std::optional(value->get<bool>()) : std::nullopt;
}

std::size_t count(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value != nullptr && value->is_number_unsigned() ? value->get<std::size_t>() : 0;
}

// Real names are shorter. The limit is needed because the time for the page's labels grows with the square of
// their length.
constexpr std::size_t most_letters = 1000;

// Returns the text in a form that fits a table.
std::string shown(const std::string& text) {
  if (text.size() <= most_letters) return printable(text);
  const auto is_inside_letter = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; };
  std::size_t end = most_letters;
  while (end > 0 && is_inside_letter(text[end])) --end;
  return printable(text.substr(0, end)) + "...";
}

std::string text(const Json& object, const char* key) {
  const Json* value = find(object, key);
  if (value == nullptr) return "";
  return shown(value->is_string() ? value->get<std::string>() : value->dump());
}

Figures figures_of(const Json& object) {
  Figures figures;
  for (const auto& [key, member] : figure_keys) figures.*member = number(object, key);
  for (const auto& [key, member] : count_keys) figures.*member = count(object, key);
  const std::string clock = text(object, "clock");
  if (!clock.empty()) figures.clock = clock == "host" ? Clock::host : Clock::device;
  figures.passed = truth(object, "passed");
  figures.computes_in_fp32 = text(object, "note").empty();
  figures.reason = text(object, "error");
  return figures;
}

KernelResult kernel_of(const Json& object) {
  KernelResult kernel;
  kernel.kernel = text(object, "kernel");
  kernel.asked = text(object, "asked");
  kernel.figures = figures_of(object);
  if (kernel.asked.empty()) kernel.asked = kernel.kernel;
  if (!kernel.figures.reason.empty()) kernel.outcome = Outcome::failed;
  if (const std::string skipped = text(object, "skipped"); !skipped.empty()) {
    kernel.outcome = Outcome::skipped;
    kernel.figures.reason = skipped;
  }
  kernel.on_fp32_units = truth(object, "on_fp32_units");
  const Json* parameters = find(object, "parameters");
  if (parameters == nullptr || !parameters->is_object()) return kernel;
  for (const auto& [name, value] : parameters->items()) {
    if (value.is_number_integer()) kernel.parameters[shown(name)] = value.get<std::int64_t>();
  }
  return kernel;
}

Transpose transpose_of(const Json& object, const char* key) {
  return text(object, key) == "yes" ? Transpose::yes : Transpose::no;
}

ShapeResult shape_of(const Json& object) {
  ShapeResult shape;
  shape.size = {count(object, "m"), count(object, "n"), count(object, "k")};
  shape.kind = {.layout = text(object, "layout") == "column" ? Layout::column_major : Layout::row_major,
                .transpose_a = transpose_of(object, "transpose_a"),
                .transpose_b = transpose_of(object, "transpose_b"),
                .alpha = static_cast<float>(number(object, "alpha").value_or(1.0)),
                .beta = static_cast<float>(number(object, "beta").value_or(0.0)),
                .gap = count(object, "gap"),
                .batch_count = std::max<std::size_t>(count(object, "batch"), 1)};
  shape.label = text(object, "label");
  if (const std::size_t copies = count(object, "rotated_copies"); copies != 0) {
    shape.rotation = Rotation{copies, count(object, "rotated_bytes")};
  }
  shape.checked_elements = count(object, "checked_elements");
  shape.error_bound = number(object, "error_bound");
  shape.host_bound_ms = number(object, "host_bound_ms");
  return shape;
}

// Every real device is between these rates.
constexpr double least_ceiling = 1e-6;
constexpr double most_ceiling = 1e12;

// Returns nothing unless the ceilings that pictures divide by are present and plausible.
std::optional<Ceilings> ceilings_of(const Json& object) {
  if (!object.is_object()) return std::nullopt;
  Ceilings result;
  for (const auto& [key, member] : ceiling_keys)
    if (const auto value = number(object, key); value && *value >= least_ceiling && *value <= most_ceiling)
      result.*member = *value;
  const bool is_whole = result.fp32_gflops > 0.0 && result.read_gbs > 0.0 && result.copy_gbs > 0.0;
  return is_whole ? std::optional(result) : std::nullopt;
}

// The key for the file of a run, which join_files() writes.
constexpr const char* file_key = "file";

// Returns the run of this object. If it is new, adds it at the end.
Results& run_of(std::vector<Results>& runs, const Json& object) {
  Results run;
  for (const auto& [key, member] : fact_keys) run.facts.*member = text(object, key);
  if (text(object, "precision") == "fp32") run.precision = Precision::fp32;
  run.file = text(object, file_key);
  Results& result = find_or_add(runs, std::move(run), [](const Results& one, const Results& other) {
    return one.facts.device == other.facts.device && one.facts.date == other.facts.date &&
           one.precision == other.precision && one.file == other.file;
  });
  if (const auto part = number(object, "part_of_others")) result.part_of_others = part;
  if (const Json* ceilings = find(object, "ceilings"); ceilings != nullptr)
    result.ceilings = ceilings_of(*ceilings);
  return result;
}

void add_peers(ShapeResult& shape, const Json& object) {
  const Json* peers = find(object, "peers");
  if (peers == nullptr || !peers->is_object()) return;
  for (const auto& [name, entry] : peers->items()) {
    if (!entry.is_object()) continue;
    const PeerResult peer{shown(name), text(entry, "version"), text(entry, "settings"), figures_of(entry)};
    find_or_add(shape.peers, peer,
                [](const PeerResult& one, const PeerResult& other) { return one.name == other.name; }) = peer;
  }
}

void add_row(Results& run, const Json& object) {
  const auto is_same = [](const ShapeResult& one, const ShapeResult& other) {
    return one.size == other.size && one.kind == other.kind &&
           one.rotation.has_value() == other.rotation.has_value();
  };
  ShapeResult& result = find_or_add(run.shapes, shape_of(object), is_same);
  result.kernels.push_back(kernel_of(object));
  add_peers(result, object);
}

// A peer that ran nowhere is one fact about the run, not one for each shape.
void remove_missing(Results& run) {
  const std::vector<std::string> measured = measured_peers(run);
  for (ShapeResult& shape : run.shapes) {
    std::erase_if(shape.peers, [&](const PeerResult& peer) {
      if (std::find(measured.begin(), measured.end(), peer.name) != measured.end()) return false;
      find_or_add(run.missing_peers, {{peer.name}, peer_title(peer.name), peer.figures.reason},
                  [](const MissingPeer& one, const MissingPeer& other) { return one.names == other.names; });
      return true;
    });
  }
}

bool is_row(const Json& object) {
  return object.is_object() && !text(object, "kernel").empty() && count(object, "m") != 0 &&
         count(object, "n") != 0 && count(object, "k") != 0;
}

// Returns true for the keys that each row had before they moved to an object of the run.
bool is_of_the_run(const std::string& key) {
  return key == "precision" || key == "part_of_others" || key == "ceilings" || key == file_key ||
         std::any_of(std::begin(fact_keys), std::end(fact_keys),
                     [&key](const auto& fact) { return fact.name == key; });
}

// Converts the format used until November 2026: an array of summaries and of rows, with the facts of its run
// in each row.
Json runs_of_rows(const Json& rows) {
  Json runs(Json::value_t::array);
  for (const Json& row : rows) {
    if (row.is_object() && row.contains("summary")) continue;
    Json run(Json::value_t::object);
    Json rest(Json::value_t::object);
    for (const auto& [key, value] : row.items()) (is_of_the_run(key) ? run : rest)[key] = value;
    if (runs.empty() || runs.back()["run"] != run) runs.push_back({{"run", run}, {"rows", Json::array()}});
    runs.back()["rows"].push_back(std::move(rest));
  }
  return runs;
}

// Returns an array of runs, each an object with "run" and "rows".
Json parse_runs(std::string_view json, const std::string& where) {
  if (is_nested_too_deeply(json)) throw UsageError(fmt::format("'{}' is nested too deeply", where));
  Json runs = Json::parse(json, nullptr, false);
  if (runs.is_discarded()) throw UsageError(fmt::format("'{}' is not JSON", where));
  const auto is_run = [](const Json& one) {
    return one.is_object() && one.contains("run") && one["run"].is_object() && one.contains("rows") &&
           one["rows"].is_array();
  };
  if (runs.is_object()) runs = Json::array({std::move(runs)});
  if (!runs.is_array()) throw UsageError(fmt::format("'{}' has no results of clgemm-bench", where));
  const bool are_rows = std::none_of(runs.begin(), runs.end(), is_run) &&
                        std::all_of(runs.begin(), runs.end(), [](const Json& one) {
                          return one.is_object() && (is_row(one) || one.contains("summary"));
                        });
  if (are_rows) runs = runs_of_rows(runs);
  for (const Json& run : runs) {
    if (!is_run(run) || !std::all_of(run["rows"].begin(), run["rows"].end(), is_row))
      throw UsageError(fmt::format("'{}' has an entry that is not a row of clgemm-bench", where));
  }
  return runs;
}

constexpr std::size_t most_file_bytes = std::size_t{256} << 20U;

// Reads pipes, too: `--compare <(git show HEAD:before.json) after.json`.
std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::vector<char> piece(65536);
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_file_bytes)
      throw UsageError(fmt::format("'{}' has more than {} bytes", path, most_file_bytes));
  }
  if (file.bad() || !file.eof()) throw UsageError(fmt::format("'{}': {}", path, std::strerror(errno)));
  return text;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"') result += '"';
    result += character;
  }
  return result + '"';
}

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

void write_json(std::ostream& out, const Results& results) {
  Json object = {{"run", run_object(results)}, {"rows", Json::array()}, {"summaries", Json::array()}};
  for (const ShapeResult& shape : results.shapes) {
    for (const KernelResult& kernel : shape.kernels)
      object["rows"].push_back(kernel_object(results, shape, kernel));
  }
  for (const BesidePeer& beside : beside_peers(results))
    object["summaries"].push_back(summary_object(results, beside));
  out << text_of(object);
}

void write_csv(std::ostream& out, const Results& results) {
  std::vector<std::string> titles;
  std::vector<Json> rows;
  for (const ShapeResult& shape : results.shapes) {
    for (const KernelResult& kernel : shape.kernels) {
      Json& row = rows.emplace_back(
          Json{{"device", results.facts.device}, {"precision", to_string(results.precision)}});
      row.update(kernel_object(results, shape, kernel));
      row["parameters"] = describe_values(kernel.parameters);
      const Json peers = std::move(row["peers"]);
      row.erase("peers");
      for (const auto& [peer, object] : peers.items()) {
        for (const auto& [key, value] : object.items()) row[fmt::format("{}_{}", peer, key)] = value;
      }
      for (const auto& [key, value] : row.items()) {
        if (!value.is_array()) find_or_add(titles, key);
      }
    }
  }
  const auto write_line = [&](const auto& cell_of) {
    std::vector<std::string> cells;
    for (const std::string& title : titles) cells.push_back(quoted(cell_of(title)));
    out << fmt::format("{}\n", fmt::join(cells, ","));
  };
  write_line([](const std::string& title) { return title; });
  for (const Json& row : rows) {
    write_line([&row](const std::string& title) {
      const Json* value = find(row, title.c_str());
      return value == nullptr ? "" : value->is_string() ? value->get<std::string>() : value->dump();
    });
  }
}

std::vector<Results> parse_results(std::string_view json, const std::string& where) {
  std::vector<Results> runs;
  for (const Json& one : parse_runs(json, where)) {
    if (one["rows"].empty()) continue;
    Results& run = run_of(runs, one["run"]);
    for (const Json& row : one["rows"]) add_row(run, row);
  }
  for (Results& run : runs) remove_missing(run);
  return runs;
}

std::string unique_name(const std::string& plain, std::set<std::string>& taken) {
  std::string name = plain;
  for (int number = 2; !taken.insert(name).second; ++number) name = fmt::format("{} ({})", plain, number);
  return name;
}

std::vector<Results> read_results(const std::string& path) {
  return parse_results(text_of_file(path), path);
}

std::string join_files(const std::vector<std::string>& paths) {
  Json all(Json::value_t::array);
  std::set<std::string> taken;
  for (const std::string& path : paths) {
    std::map<std::string, std::string> names;  // new names, by the old ones
    for (Json& one : parse_runs(text_of_file(path), path)) {
      const std::string own = text(one["run"], file_key);
      const std::string plain = own.empty() ? std::filesystem::path(path).stem().string() : own;
      std::string& name = names[plain];
      if (name.empty()) name = unique_name(plain, taken);
      one["run"][file_key] = name;
      all.push_back(std::move(one));
    }
  }
  return text_of(all.size() == 1 ? all.front() : all);
}

}  // namespace clgemm::bench
