#include "choose/tuning_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_depth.hpp"
#include "base/printable.hpp"

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

// Uses more than get<>(), which alone would drop a fraction.
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

double number(const Json& object, const char* name, double least) {
  if (!object.at(name).is_number())
    refuse(fmt::format("'{}' is {}; it must be a number", name, object.at(name).dump()));
  const double value = object.at(name).get<double>();
  constexpr double most = 1e15;  // in any unit
  if (!std::isfinite(value) || value < least || value > most)
    refuse(fmt::format("'{}' is {}", name, object.at(name).dump()));
  return value;
}

constexpr double least_positive = 1e-12;
constexpr double flops_of_multiply_add = 2.0;

TunedDevice parse_device(const Json& json) {
  const auto type = json.at("type").get<std::string>();
  const auto* kind =
      std::find_if(kinds.begin(), kinds.end(), [&type](const NamedKind& one) { return one.name == type; });
  if (kind == kinds.end()) refuse("a device of unknown type");
  std::optional<Probed> probed;
  if (json.contains("probed_gflops"))
    probed = {number(json, "probed_gflops", least_positive) * 1e9 / flops_of_multiply_add,
              number(json, "probed_gb_s", least_positive) * 1e9};
  return {json.at("name").get<std::string>(),
          json.at("vendor").get<std::string>(),
          json.at("platform").get<std::string>(),
          json.at("driver").get<std::string>(),
          kind->kind,
          positive(json, "vector_width"),
          positive(json, "compute_units"),
          static_cast<std::size_t>(number(json, "clock_mhz", 0.0)),
          json.contains("nvidia_sm") ? positive(json, "nvidia_sm") : 0,
          probed};
}

constexpr double micro = 1e-6;
constexpr double mega = 1e6;
constexpr double giga = 1e9;

// Reads a rate that a file may lack, because it was added later or does not apply to every device.
struct OptionalRate {
  const char* key;
  double unit;
  double HostRates::*member;
};
constexpr std::array host_rates = {OptionalRate{"to_device_gb_s", giga, &HostRates::to_device},
                                   OptionalRate{"from_device_gb_s", giga, &HostRates::from_device},
                                   OptionalRate{"streamed_gb_s", giga, &HostRates::streamed},
                                   OptionalRate{"copied_gb_s", giga, &HostRates::copied},
                                   OptionalRate{"host_call_us", micro, &HostRates::call_seconds}};

HostRates parse_host_rates(const Json& json) {
  HostRates host;
  for (const auto& [key, unit, member] : host_rates) {
    if (json.contains(key)) host.*member = number(json, key, least_positive) * unit;
  }
  return host;
}

double fraction(const Json& json, const char* key, double otherwise) {
  const double value = json.contains(key) ? number(json, key, 0.0) : otherwise;
  if (value > 1.0) refuse(fmt::format("'{}' is {}; it must be at most 1", key, value));
  return value;
}

Rates parse_rates(const Json& json) {
  const double start = number(json, "start_us", 0.0);
  return {
      number(json, "call_us", 0.0) * micro,
      number(json, "launch_us", 0.0) * micro,
      start * micro,
      number(json, "gb_s", least_positive) * giga,
      number(json, "packing_gb_s", least_positive) * giga,
      number(json, "adding_gb_s", least_positive) * giga,
      fraction(json, "unhidden", Rates{}.unhidden),
      fraction(json, "repeated", Rates{}.repeated),
      (json.contains("pass_us") ? number(json, "pass_us", 0.0) : start) * micro,
      fraction(json, "uneven", Rates{}.uneven),
      json.contains("cached_mb") ? number(json, "cached_mb", least_positive) * mega : Rates{}.cached_bytes,
      json.contains("best_gflops") ? number(json, "best_gflops", 0.0) * giga / flops_of_multiply_add : 0.0,
      parse_host_rates(json)};
}

Config parse_config(const Json& json) {
  Config config{json.at("kernel").get<std::string>(), {}};
  // A path would be compiled, wherever it points to.
  if (config.kernel.empty() || config.kernel.find_first_of("/.") != std::string::npos ||
      printable(config.kernel) != config.kernel)
    refuse(fmt::format("'{}' is not the name of a kernel", config.kernel));
  for (const auto& [name, value] : json.at("parameters").items())
    config.parameters[name] = integer(value, name);
  return config;
}

ConfigRow parse_row(const Json& json) {
  ConfigRow row;
  row.config = parse_config(json);
  row.speed.begin = number(json, "begin_us", 0.0) * 1e-6;
  row.speed.alone = number(json, "alone_ns", least_positive) * 1e-9;
  row.speed.share = number(json, "share_ns", least_positive) * 1e-9;
  row.speed.residents = positive(json, "residents");
  row.speed.prepare = json.contains("prepare_rows") ? number(json, "prepare_rows", 0.0) : 0.0;
  row.speed.unaligned = number(json, "unaligned", least_positive);
  if (json.contains("transposed_a")) row.speed.transposed_a = number(json, "transposed_a", least_positive);
  if (json.contains("transposed_b")) row.speed.transposed_b = number(json, "transposed_b", least_positive);
  if (json.contains("uncached")) row.speed.uncached = number(json, "uncached", least_positive);
  if (json.contains("part_ns")) row.speed.part = number(json, "part_ns", 0.0) * 1e-9;
  if (json.contains("repeated")) row.speed.repeated = fraction(json, "repeated", 0.0);
  row.residual = number(json, "residual", 0.0);
  row.shapes = positive(json, "shapes");
  return row;
}

TunedEntry parse_entry(const Json& json) {
  TunedEntry entry;
  entry.size = {positive(json, "m"), positive(json, "n"), positive(json, "k")};
  const auto form = json.at("transposes").get<std::string>();
  if (form.size() != 2 || form.find_first_not_of("nt") != std::string::npos)
    refuse("'transposes' must be nn, nt, tn or tt");
  entry.transpose_a = form[0] == 't';
  entry.transpose_b = form[1] == 't';
  entry.config = parse_config(json);
  entry.seconds = number(json, "median_ms", least_positive) * 1e-3;
  entry.space = json.value("space", std::string{});
  return entry;
}

double rounded(double value) {
  return std::stod(fmt::format("{:.4g}", value));
}

Json to_json(const Rates& rates) {
  Json json;
  json["call_us"] = rounded(rates.call_seconds * 1e6);
  json["launch_us"] = rounded(rates.launch_seconds * 1e6);
  json["start_us"] = rounded(rates.start_seconds * 1e6);
  json["gb_s"] = rounded(rates.bytes * 1e-9);
  json["packing_gb_s"] = rounded(rates.packing_bytes * 1e-9);
  json["adding_gb_s"] = rounded(rates.adding_bytes * 1e-9);
  json["unhidden"] = rounded(rates.unhidden);
  json["repeated"] = rounded(rates.repeated);
  json["pass_us"] = rounded(rates.pass_seconds * 1e6);
  json["uneven"] = rounded(rates.uneven);
  if (rates.cached_bytes != Rates{}.cached_bytes) json["cached_mb"] = rounded(rates.cached_bytes / mega);
  if (rates.multiply_adds != 0.0)
    json["best_gflops"] = rounded(rates.multiply_adds * flops_of_multiply_add / giga);
  for (const auto& [key, unit, member] : host_rates) {
    if (rates.host.*member != HostRates{}.*member) json[key] = rounded(rates.host.*member / unit);
  }
  return json;
}

Json to_json(const ConfigRow& row) {
  Json json;
  json["kernel"] = row.config.kernel;
  json["parameters"] = row.config.parameters;
  json["begin_us"] = rounded(row.speed.begin * 1e6);
  json["alone_ns"] = rounded(row.speed.alone * 1e9);
  json["share_ns"] = rounded(row.speed.share * 1e9);
  json["residents"] = row.speed.residents;
  if (row.speed.prepare > 0.0) json["prepare_rows"] = rounded(row.speed.prepare);
  json["unaligned"] = rounded(row.speed.unaligned);
  if (row.speed.transposed_a != ConfigSpeed{}.transposed_a)
    json["transposed_a"] = rounded(row.speed.transposed_a);
  if (row.speed.transposed_b != ConfigSpeed{}.transposed_b)
    json["transposed_b"] = rounded(row.speed.transposed_b);
  if (row.speed.uncached != ConfigSpeed{}.uncached) json["uncached"] = rounded(row.speed.uncached);
  if (row.speed.part != ConfigSpeed{}.part) json["part_ns"] = rounded(row.speed.part * 1e9);
  if (row.speed.repeated) json["repeated"] = rounded(*row.speed.repeated);
  json["residual"] = rounded(row.residual);
  json["shapes"] = row.shapes;
  return json;
}

Json to_json(const TunedEntry& entry) {
  Json json;
  json["m"] = entry.size.m;
  json["n"] = entry.size.n;
  json["k"] = entry.size.k;
  json["transposes"] = fmt::format("{}{}", entry.transpose_a ? 't' : 'n', entry.transpose_b ? 't' : 'n');
  json["kernel"] = entry.config.kernel;
  json["parameters"] = entry.config.parameters;
  json["median_ms"] = std::stod(fmt::format("{:.5g}", entry.seconds * 1e3));
  json["gflops"] = rounded(entry.gflops());
  if (!entry.space.empty()) json["space"] = entry.space;
  return json;
}

}  // namespace

TuningFile parse_tuning(std::string_view text, const std::string& path) {
  if (is_nested_too_deeply(text)) refuse("it is nested too deeply");
  try {
    const Json json = Json::parse(text);
    if (!json.is_object()) refuse("it is not a JSON object");
    const std::int64_t schema = integer(json.at(schema_name), schema_name);
    if (schema != tuning_schema)
      refuse(fmt::format("schema {}; this version reads {}", schema, tuning_schema));
    TuningFile file{path, parse_device(json.at("device")), {}, {}, {}};
    if (json.contains("rates")) {
      file.rates = parse_rates(json.at("rates"));
      for (const Json& one : json.at("configs")) file.configs.push_back(parse_row(one));
    }
    std::map<std::string, TunedEntry> best;
    for (const Json& one : json.at("measured")) {
      TunedEntry entry = parse_entry(one);
      const auto [place, is_new] = best.emplace(entry_key(entry), entry);
      if (!is_new && entry.seconds < place->second.seconds) place->second = entry;
    }
    for (const auto& [key, entry] : best) file.measured.push_back(entry);
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
  device["compute_units"] = file.device.compute_units;
  device["clock_mhz"] = file.device.clock_mhz;
  if (file.device.nvidia_sm != 0) device["nvidia_sm"] = file.device.nvidia_sm;
  if (file.device.probed) {
    device["probed_gflops"] = rounded(file.device.probed->multiply_adds * flops_of_multiply_add * 1e-9);
    device["probed_gb_s"] = rounded(file.device.probed->bytes * 1e-9);
  }
  std::string text =
      fmt::format("{{\n  \"{}\": {},\n  \"device\": {},\n", schema_name, tuning_schema, device.dump());
  const auto add_list = [&text](const char* name, const auto& lines) {
    text += fmt::format("  \"{}\": [", name);
    const char* between = "";
    for (const auto& [key, line] : lines) {
      text += fmt::format("{}\n    {}", between, line);
      between = ",";
    }
    text += "\n  ]";
  };
  if (file.rates) {
    std::map<Config, std::string> rows;
    for (const ConfigRow& row : file.configs) rows[row.config] = to_json(row).dump();
    text += fmt::format("  \"rates\": {},\n", to_json(*file.rates).dump());
    add_list("configs", rows);
    text += ",\n";
  }
  std::map<std::string, std::string> entries;
  for (const TunedEntry& entry : file.measured) entries[entry_key(entry)] = to_json(entry).dump();
  add_list("measured", entries);
  return text + "\n}\n";
}

}  // namespace clgemm
