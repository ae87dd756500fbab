#include "choose/tuning_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace clgemm {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema_name = "clgemm_tuning";

struct NamedKind {
  std::string_view name;
  DeviceKind kind;
};
constexpr std::array kinds = {NamedKind{"cpu", DeviceKind::cpu}, NamedKind{"gpu", DeviceKind::gpu},
                              NamedKind{"other", DeviceKind::other}};

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, what);
}

std::string name_of(DeviceKind kind) {
  for (const auto& [name, value] : kinds) {
    if (value == kind) return std::string(name);
  }
  return "other";
}

// get<>() alone would cut a fraction off.
std::int64_t integer(const Json& value, const std::string& name) {
  if (!value.is_number_integer())
    refuse(fmt::format("'{}' is {}; it must be an integer", name, value.dump()));
  return value.get<std::int64_t>();
}

std::size_t positive(const Json& object, const char* name) {
  const std::int64_t value = integer(object.at(name), name);
  if (value < 1) refuse(fmt::format("'{}' is {}; it must be positive", name, value));
  return static_cast<std::size_t>(value);
}

TunedDevice parse_device(const Json& json) {
  const auto type = json.at("type").get<std::string>();
  const auto* kind =
      std::find_if(kinds.begin(), kinds.end(), [&type](const NamedKind& one) { return one.name == type; });
  if (kind == kinds.end()) refuse("a device of unknown type");
  return {json.at("name").get<std::string>(),
          json.at("vendor").get<std::string>(),
          json.at("platform").get<std::string>(),
          json.at("driver").get<std::string>(),
          kind->kind,
          positive(json, "vector_width")};
}

TunedEntry parse_entry(const Json& json) {
  TunedEntry entry;
  entry.size = {positive(json, "m"), positive(json, "n"), positive(json, "k")};
  const auto form = json.at("transposes").get<std::string>();
  if (form.size() != 2 || form.find_first_not_of("nt") != std::string::npos)
    refuse("'transposes' must be nn, nt, tn or tt");
  entry.transpose_a = form[0] == 't';
  entry.transpose_b = form[1] == 't';
  entry.config.kernel = json.at("kernel").get<std::string>();
  // A path would be compiled from wherever it leads.
  if (entry.config.kernel.empty() || entry.config.kernel.find_first_of("/.") != std::string::npos)
    refuse(fmt::format("'{}' is not the name of a kernel", entry.config.kernel));
  for (const auto& [name, value] : json.at("parameters").items())
    entry.config.parameters[name] = integer(value, name);
  entry.packs = json.at("packs").get<bool>();
  entry.seconds = json.at("median_ms").get<double>() * 1e-3;
  if (!std::isfinite(entry.seconds) || entry.seconds <= 0.0) refuse("'median_ms' must be positive");
  entry.space = json.value("space", std::string{});
  return entry;
}

Json to_json(const TunedEntry& entry) {
  Json json;
  json["class"] = to_string(shape_class(entry.size));
  json["m"] = entry.size.m;
  json["n"] = entry.size.n;
  json["k"] = entry.size.k;
  json["transposes"] = fmt::format("{}{}", entry.transpose_a ? 't' : 'n', entry.transpose_b ? 't' : 'n');
  json["kernel"] = entry.config.kernel;
  json["parameters"] = entry.config.parameters;
  json["packs"] = entry.packs;
  json["median_ms"] = std::stod(fmt::format("{:.5g}", entry.seconds * 1e3));
  json["gflops"] = std::stod(fmt::format("{:.4g}", entry.gflops()));
  if (!entry.space.empty()) json["space"] = entry.space;
  return json;
}

}  // namespace

TuningFile parse_tuning(std::string_view text, const std::string& path) {
  try {
    const Json json = Json::parse(text);
    const int schema = json.at(schema_name).get<int>();
    if (schema != tuning_schema)
      refuse(fmt::format("schema {}; this version reads {}", schema, tuning_schema));
    TuningFile file{path, parse_device(json.at("device")), {}};
    std::map<std::string, TunedEntry> best;
    for (const Json& one : json.at("entries")) {
      TunedEntry entry = parse_entry(one);
      const auto [place, is_new] = best.emplace(entry_key(entry), entry);
      if (!is_new && entry.gflops() > place->second.gflops()) place->second = entry;
    }
    for (const auto& [key, entry] : best) file.entries.push_back(entry);
    return file;
  } catch (const nlohmann::json::exception& failure) {
    refuse(failure.what());
  }
}

std::string write_tuning(const TuningFile& file) {
  Json device;
  device["name"] = file.device.name;
  device["vendor"] = file.device.vendor;
  device["platform"] = file.device.platform;
  device["driver"] = file.device.driver;
  device["type"] = name_of(file.device.kind);
  device["vector_width"] = file.device.vector_width;
  std::map<std::string, std::string> lines;
  for (const TunedEntry& entry : file.entries) lines[entry_key(entry)] = to_json(entry).dump();
  std::string entries;
  for (const auto& [key, line] : lines)
    entries += fmt::format("{}\n    {}", entries.empty() ? "" : ",", line);
  return fmt::format("{{\n  \"{}\": {},\n  \"device\": {},\n  \"entries\": [{}\n  ]\n}}\n", schema_name,
                     tuning_schema, device.dump(), entries);
}

}  // namespace clgemm
