#include "page/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "figures/summary.hpp"

namespace clgemm::bench {
namespace {

using Json = nlohmann::ordered_json;

Json value_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Returns true for one GEMM of square matrices, not transposed and without gaps.
bool is_square(const Case& one) {
  const auto& [size, kind, label] = one;
  return size.m == size.n && size.n == size.k && kind.transpose_a == Transpose::no &&
         kind.transpose_b == Transpose::no && kind.gap == 0 && kind.batch_count == 1;
}

// Returns the operations for each byte that must be moved: A, B and C once, and C twice if it is also read.
double intensity(const Case& shape) {
  const auto m = static_cast<double>(shape.size.m);
  const auto n = static_cast<double>(shape.size.n);
  const auto k = static_cast<double>(shape.size.k);
  const double times_c = shape.kind.beta == 0.0f ? 1.0 : 2.0;
  return operations(shape.size) / (4.0 * (m * k + k * n + m * n * times_c));
}

const char* check_text(const Figures& figures) {
  if (!figures.computes_in_fp32) return "not fp32";
  if (!figures.passed) return "not checked";
  return *figures.passed ? "PASSED" : "FAILED";
}

// Returns the fastest correct result in fp32, or null if there is none.
const Figures* fastest_of(const ShapeResult& shape) {
  const Figures* fastest = nullptr;
  const auto look_at = [&](const Figures& figures) {
    if (!figures.measured() || !figures.computes_in_fp32 || figures.failed()) return;
    if (fastest == nullptr || shape.time(figures)->ms < shape.time(*fastest)->ms) fastest = &figures;
  };
  for (const KernelResult& kernel : shape.kernels) look_at(kernel.figures);
  for (const PeerResult& peer : shape.peers) look_at(peer.figures);
  return fastest;
}

// Writes the rate and its bounds. Several devices share only GEMMs from host to host. The rate of one of them
// on its own matrices is not their rate.
void add_rate(Json& entry, const ShapeResult& shape, const Figures& figures, std::size_t devices) {
  if (devices > 1) {
    if (figures.host_ms.value_or(0.0) > 0.0) entry["rate"] = operations(shape) / *figures.host_ms * 1e-6;
    return;
  }
  const std::optional<Time> time = shape.time(figures);
  const std::optional<double> rate = shape.rate(figures);
  if (!time || !rate) return;
  entry["rate"] = *rate;
  if (!(time->low_ms > 0.0) || time->low_ms >= time->high_ms) return;
  entry["low"] = *rate * time->ms / time->high_ms;
  entry["high"] = *rate * time->ms / time->low_ms;
}

Json entry_of(const std::string& key, const std::string& title, const ShapeResult& shape,
              const Figures& figures, const Figures* fastest, std::size_t devices) {
  Json entry = {{"key", key}, {"title", title}};
  if (!figures.measured()) {
    entry["reason"] = figures.reason;
    return entry;
  }
  add_rate(entry, shape, figures, devices);
  entry["runs"] = figures.runs;
  entry["ms"] = {value_or_null(figures.median_ms), value_or_null(figures.min_ms),
                 value_or_null(figures.p95_ms),    value_or_null(figures.call_ms),
                 value_or_null(figures.host_ms),   value_or_null(figures.cold_ms),
                 value_or_null(figures.warm_ms)};
  entry["error"] = value_or_null(figures.error_ratio);
  entry["check"] = check_text(figures);
  entry["best"] = fastest != nullptr && figures.computes_in_fp32 && !figures.failed() &&
                  (&figures == fastest || (figures.low_ms && shape.within_noise(figures, *fastest)));
  return entry;
}

Json shape_object(const Results& run, const ShapeResult& shape) {
  const std::size_t devices = run.facts.devices();
  Json object = {{"name", describe_labelled(shape)},
                 {"side", is_square(shape) ? shape.size.m : 0},
                 {"k", shape.size.k},
                 {"gflop", operations(shape) * 1e-9},
                 {"intensity", intensity(shape)},
                 {"bound", value_or_null(shape.error_bound)},
                 {"entries", Json::array()}};
  const Figures* const fastest = fastest_of(shape);
  const KernelResult* const own = shape.own();
  for (const KernelResult& kernel : shape.kernels) {
    Json& entry = object["entries"].emplace_back(
        entry_of(kernel.title(), kernel.long_title(), shape, kernel.figures, fastest, devices));
    entry["own"] = &kernel == own;
    entry["fp32_units"] = kernel.on_fp32_units.value_or(true);
  }
  for (const PeerResult& peer : shape.peers) {
    object["entries"].push_back(
        entry_of("peer:" + peer.name, peer_title(peer.name), shape, peer.figures, fastest, devices));
  }
  return object;
}

// Returns each kernel and peer that was measured, in the order of the page.
Json series_of(const Results& run) {
  Json series = Json::array();
  for (const std::string& title : kernel_titles(run))
    series.push_back({{"key", title}, {"title", title}, {"fp32", true}});
  for (const std::string& name : measured_peers(run)) {
    const PeerResult* peer = peer_with_version(run, name);
    const bool fp32 = peer == nullptr || peer->figures.computes_in_fp32;
    series.push_back({{"key", "peer:" + name}, {"peer", name}, {"title", peer_title(name)}, {"fp32", fp32}});
  }
  return series;
}

Json summary_of(const BesidePeer& beside) {
  const RatioAtShape& worst = beside.worst.front();
  return {{"key", "peer:" + beside.peer},
          {"title", peer_title(beside.peer)},
          {"shapes", beside.shapes},
          {"mean", beside.geometric_mean},
          {"at_least", beside.at_least_one},
          {"within_noise", beside.within_noise},
          {"worst", worst.ratio},
          {"worst_at", describe_labelled(*worst.shape)}};
}

Json facts_of(const Results& run) {
  const Facts& facts = run.facts;
  Json all = Json::array();
  const auto add = [&all](const std::string& name, const std::string& value) {
    if (!value.empty()) all.push_back({name, value});
  };
  add("platform", facts.platform);
  add("driver", facts.driver);
  add("host", facts.host);
  add("clgemm", facts.clgemm_version);
  add("commit", facts.commit);
  add("clocks", facts.clocks);
  add("power", facts.power);
  add("precision", run.precision == Precision::fp32 ? "fp32 units alone" : "");
  for (const std::string& name : measured_peers(run)) {
    const PeerResult* peer = peer_with_version(run, name);
    if (peer == nullptr) continue;
    add(peer_title(name),
        peer->settings.empty() ? peer->version : fmt::format("{} ({})", peer->version, peer->settings));
  }
  add("time by", facts.timer);
  add("date", facts.date);
  return all;
}

Json run_object(const Results& run, const std::string& name) {
  const auto [checked, passed] = checks_of(run);
  Json object = {{"name", name},
                 {"device", run.facts.device},
                 {"devices", run.facts.devices()},
                 {"facts", facts_of(run)},
                 {"own", own_title(run)},
                 {"checked", checked},
                 {"passed", passed},
                 {"troubles", troubles_of(run)},
                 {"missing", Json::array()},
                 {"ceilings", nullptr},
                 {"ladder", nullptr},
                 {"series", series_of(run)},
                 {"summaries", Json::array()},
                 {"shapes", Json::array()}};
  for (const MissingPeer& peer : run.missing_peers) object["missing"].push_back({peer.title, peer.reason});
  if (run.ceilings) {
    object["ceilings"] = {{"fp32", run.ceilings->fp32_gflops},
                          {"read", run.ceilings->read_gbs},
                          {"cache", run.ceilings->cache_gbs},
                          {"tensor", run.ceilings->tensor_gflops}};
  }
  if (const ShapeResult* shape = ladder_shape(run)) object["ladder"] = shape - run.shapes.data();
  if (run.facts.devices() == 1) {
    for (const BesidePeer& beside : beside_peers(run)) object["summaries"].push_back(summary_of(beside));
  }
  for (const ShapeResult& shape : run.shapes) object["shapes"].push_back(shape_object(run, shape));
  return object;
}

// Names a run by its file, or by its devices if it has none. Each name is given once.
std::string name_of(const Results& run, std::set<std::string>& taken) {
  const std::string plain = run.file.empty() ? run.facts.device : run.file;
  std::string name = plain;
  for (int number = 2; !taken.insert(name).second; ++number) name = fmt::format("{} ({})", plain, number);
  return name;
}

Json samples_object(const TuningSamples& samples) {
  Json object = {
      {"mean_regret", samples.mean_regret()}, {"shapes", Json::array()}, {"configs", Json::array()}};
  for (const TuningSamples::Shape& shape : samples.shapes) {
    Json& one = object["shapes"].emplace_back(
        Json{{"name", shape.name()}, {"gflop", shape.gflop()}, {"us", shape.best_seconds * 1e6}});
    if (shape.chosen_seconds == 0.0) continue;
    one["regret"] = shape.regret();
    one["chosen"] = shape.chosen;
    one["row"] = shape.chosen_row;
  }
  for (std::size_t row = 0; row < samples.configs.size(); ++row) {
    Json& config =
        object["configs"].emplace_back(Json{{"name", samples.configs[row]}, {"parts", Json::array()}});
    for (std::size_t column = 0; column < samples.shapes.size(); ++column) {
      const auto& time = samples.times[row][column];
      config["parts"].push_back(time ? Json(samples.shapes[column].best_seconds / time->seconds)
                                     : Json(nullptr));
    }
  }
  return object;
}

}  // namespace

std::string page_data(const std::vector<Results>& runs, const TuningSamples* samples) {
  Json data = {{"runs", Json::array()}, {"samples", nullptr}};
  std::set<std::string> taken;
  for (const Results& run : runs)
    data["runs"].push_back(run_object(each_kernel_once(run), name_of(run, taken)));
  if (samples != nullptr) data["samples"] = samples_object(*samples);
  std::string text;
  for (const char character : data.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (character == '<' || character == '>' || character == '&') {
      text += fmt::format("\\u{:04x}", character);  // these occur only inside JSON strings
    } else {
      text += character;
    }
  }
  return text;
}

}  // namespace clgemm::bench
