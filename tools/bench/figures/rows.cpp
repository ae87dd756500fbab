#include "figures/rows.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/size.hpp"
#include "common/usage_error.hpp"

namespace clgemm::bench {
namespace {

using Json = nlohmann::ordered_json;

// The value of a key, or nothing where it is missing, null or of another type.
const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<double> number(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value != nullptr && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

std::size_t count(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value != nullptr && value->is_number_unsigned() ? value->get<std::size_t>() : 0;
}

// A text as it is; an object of settings as "NAME=VALUE NAME=VALUE".
std::string text(const Json& object, const char* key) {
  const Json* value = find(object, key);
  if (value == nullptr) return "";
  if (value->is_string()) return value->get<std::string>();
  if (!value->is_object()) return value->dump();
  std::string words;
  for (const auto& [name, setting] : value->items()) {
    const std::string word = setting.is_string() ? setting.get<std::string>() : setting.dump();
    words += fmt::format("{}{}={}", words.empty() ? "" : " ", name, word);
  }
  return words;
}

Figures figures_of(const Json& object) {
  Figures figures;
  const std::pair<const char*, std::optional<double> Figures::*> numbers[] = {
      {"median_ms", &Figures::median_ms},    {"min_ms", &Figures::min_ms},
      {"p95_ms", &Figures::p95_ms},          {"gflops", &Figures::gflops},
      {"call_ms", &Figures::call_ms},        {"host_ms", &Figures::host_ms},
      {"cold_ms", &Figures::cold_ms},        {"warm_ms", &Figures::warm_ms},
      {"error_ratio", &Figures::error_ratio}};
  for (const auto& [key, member] : numbers) figures.*member = number(object, key);
  const Json* passed = find(object, "passed");
  if (passed != nullptr && passed->is_boolean()) figures.passed = passed->get<bool>();
  figures.clock = text(object, "clock");
  figures.runs = count(object, "runs");
  figures.note = text(object, "note");
  figures.reason = text(object, "error");
  if (figures.reason.empty()) figures.reason = text(object, "skipped");
  return figures;
}

std::optional<CeilingRow> ceilings_of(const Json& object) {
  const Json* ceilings = find(object, "ceilings");
  if (ceilings == nullptr || !ceilings->is_object()) return std::nullopt;
  return CeilingRow{number(*ceilings, "fp32_gflops"), number(*ceilings, "read_gbs"),
                    number(*ceilings, "copy_gbs")};
}

Row row_of(const Json& object) {
  Row row;
  const std::pair<const char*, std::string Row::*> texts[] = {
      {"device", &Row::device}, {"platform", &Row::platform}, {"driver", &Row::driver},
      {"host", &Row::host},     {"date", &Row::date},         {"timer", &Row::timer},
      {"kernel", &Row::kernel}, {"asked", &Row::asked},       {"parameters", &Row::parameters},
      {"label", &Row::label},   {"layout", &Row::layout},     {"clgemm_version", &Row::version}};
  for (const auto& [key, member] : texts) row.*member = text(object, key);
  if (row.asked.empty()) row.asked = row.kernel;
  row.m = count(object, "m");
  row.n = count(object, "n");
  row.k = count(object, "k");
  row.transpose_a = text(object, "transpose_a") == "yes";
  row.transpose_b = text(object, "transpose_b") == "yes";
  row.gap = count(object, "gap");
  row.precision = text(object, "precision");
  row.alpha = number(object, "alpha").value_or(1.0);
  row.beta = number(object, "beta").value_or(0.0);
  row.rotated_copies = count(object, "rotated_copies");
  row.figures = figures_of(object);
  row.error_bound = number(object, "error_bound");
  row.ceilings = ceilings_of(object);
  if (const Json* peers = find(object, "peers"); peers != nullptr && peers->is_object()) {
    for (const auto& [name, peer] : peers->items()) {
      if (!peer.is_object()) continue;
      row.peers.push_back({name, text(peer, "version"), text(peer, "settings"), figures_of(peer)});
    }
  }
  return row;
}

bool is_row(const Json& object) {
  return object.is_object() && !text(object, "kernel").empty() && count(object, "m") != 0 &&
         count(object, "n") != 0 && count(object, "k") != 0;
}

Json parse_array(std::string_view json, const std::string& where) {
  Json rows = Json::parse(json, nullptr, false);
  if (rows.is_discarded()) throw UsageError(fmt::format("'{}' is not JSON", where));
  if (!rows.is_array()) throw UsageError(fmt::format("'{}' is not an array of clgemm-bench's rows", where));
  for (const Json& row : rows) {
    if (is_row(row)) continue;
    throw UsageError(fmt::format("'{}' has an entry that is not a row of clgemm-bench", where));
  }
  return rows;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  if (file) text << file.rdbuf();
  if (!file) throw UsageError(fmt::format("'{}': {}", path, std::strerror(errno)));
  return text.str();
}

}  // namespace

double speed_up(const Figures& peer, const Figures& own) {
  const bool one_clock = peer.clock == own.clock || !peer.call_ms || !own.call_ms;
  return one_clock ? *peer.median_ms / *own.median_ms : *peer.call_ms / *own.call_ms;
}

double Row::operations() const {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

std::string Row::title() const {
  return asked == "auto" ? "clgemm" : kernel;
}

std::string describe_shape(const Row& row) {
  std::string shape =
      row.m == row.n && row.n == row.k ? fmt::format("{}", row.m) : to_string(Size{row.m, row.n, row.k});
  if (row.transpose_a) shape += ", A transposed";
  if (row.transpose_b) shape += ", B transposed";
  if (row.gap != 0) shape += fmt::format(", gaps of {}", row.gap);
  if (row.layout == "column") shape += ", column-major";
  return shape;
}

std::string peer_title(const std::string& name) {
  static const std::map<std::string, std::string> titles = {
      {"clblast", "CLBlast"}, {"clblast-tuned", "CLBlast tuned"}, {"openblas", "OpenBLAS"},
      {"cblas", "CBLAS"},     {"cublas-fp32", "cuBLAS fp32"},     {"cublas-tf32", "cuBLAS TF32"}};
  const auto found = titles.find(name);
  return found == titles.end() ? name : found->second;
}

std::vector<Row> parse_rows(std::string_view json, const std::string& where) {
  std::vector<Row> rows;
  for (const Json& object : parse_array(json, where)) rows.push_back(row_of(object));
  return rows;
}

std::vector<Row> read_rows(const std::string& path) {
  return parse_rows(text_of_file(path), path);
}

std::string join_files(const std::vector<std::string>& paths) {
  Json all(Json::value_t::array);
  for (const std::string& path : paths) {
    for (Json& row : parse_array(text_of_file(path), path)) all.push_back(std::move(row));
  }
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace clgemm::bench
