// JSON: an array with an object for every kernel and size. What was not measured or not checked is null.
#include <nlohmann/json.hpp>

#include "writing/output.hpp"

namespace clgemm::bench {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json value_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json error_ratio(const std::optional<CheckResult>& check) {
  return check ? Json(check->error_ratio) : Json(nullptr);
}

const char* yes_or_no(Transpose transpose) {
  return transpose == Transpose::yes ? "yes" : "no";
}

// The figures that kernels and peers share.
void add_measurement(Json& object, const Size& size, const std::optional<Measurement>& measured) {
  const auto figure = [&](double Measurement::*member) {
    return measured ? Json((*measured).*member) : Json(nullptr);
  };
  object["median_ms"] = figure(&Measurement::median_ms);
  object["min_ms"] = figure(&Measurement::min_ms);
  object["p95_ms"] = figure(&Measurement::p95_ms);
  object["spread"] = measured ? Json(measured->spread()) : Json(nullptr);
  object["gflops"] = measured ? Json(measured->gflops(size)) : Json(nullptr);
  object["call_ms"] = figure(&Measurement::call_ms);
  object["first_call_ms"] = figure(&Measurement::first_call_ms);
  object["host_ms"] = measured ? value_or_null(measured->host_ms) : Json(nullptr);
  object["clock"] = measured ? Json(measured->clock == Clock::device ? "device" : "host") : Json(nullptr);
  object["runs"] = measured ? measured->runs : 0;
  object["launches"] = measured ? measured->launches : 0;
  object["error_ratio"] = measured ? error_ratio(measured->check) : Json(nullptr);
}

void add_first_call(Json& object, const std::optional<FirstCall>& first_call) {
  object["cold_ms"] = first_call ? Json(first_call->cold_ms) : Json(nullptr);
  object["warm_ms"] = first_call ? Json(first_call->warm_ms) : Json(nullptr);
}

void add_facts(Json& object, const Results& results) {
  object["date"] = results.facts.date;
  object["clgemm_version"] = results.facts.clgemm_version;
  object["host"] = results.facts.host;
  object["device"] = results.device.name;
  object["platform"] = results.device.platform_name;
  object["driver"] = results.device.driver_version;
  object["timer"] = results.facts.timer;
}

Json ceilings_object(const std::optional<Ceilings>& ceilings) {
  if (!ceilings) return nullptr;
  return {{"fp32_gflops", ceilings->fp32_gflops},
          {"read_gbs", ceilings->read_gbs},
          {"copy_gbs", ceilings->copy_gbs}};
}

Json peer_object(const Size& size, const PeerResult& peer) {
  Json object;
  object["version"] = peer.version;
  object["settings"] = peer.settings;
  add_measurement(object, size, peer.measurement);
  add_first_call(object, peer.first_call);
  const bool checked = peer.measurement && peer.measurement->check;
  object["passed"] = checked ? Json(!peer.measurement->failed()) : Json(nullptr);
  if (!peer.reason.empty()) object["error"] = peer.reason;
  if (!peer.computes_in_fp32) object["note"] = "not fp32: passed false is expected, and fails no run";
  return object;
}

Json missing_peer_object(const Size& size, const std::string& name, const MissingPeer& peer) {
  return peer_object(size, {name, peer.title, {}, {}, true, peer.reason, {}, {}});
}

void add_call(Json& object, const SgemmCall& call) {
  object["m"] = call.m;
  object["n"] = call.n;
  object["k"] = call.k;
  object["layout"] = call.layout == Layout::row_major ? "row" : "column";
  object["transpose_a"] = yes_or_no(call.transpose_a);
  object["transpose_b"] = yes_or_no(call.transpose_b);
  object["gap"] = kind_of(call).gap;
  object["alpha"] = call.alpha;
  object["beta"] = call.beta;
}

Json passed(const Results& results, const KernelResult& kernel) {
  if (kernel.outcome == Outcome::failed) return false;
  if (kernel.outcome == Outcome::skipped || !results.checked) return nullptr;
  return kernel.passed();
}

Json kernel_object(const Results& results, const SizeResult& size, const KernelResult& kernel) {
  Json object;
  add_facts(object, results);
  object["kernel"] = kernel.kernel;
  object["asked"] = kernel.asked;
  if (!size.label.empty()) object["label"] = size.label;
  object["parameters"] = Json(Json::value_t::object);
  for (const auto& [name, value] : kernel.parameters) object["parameters"][name] = value;
  add_call(object, size.call);
  object["precision"] = results.precision == Precision::fp32 ? "fp32" : "fp32_equivalent";
  add_measurement(object, size.size(), kernel.measurement);
  add_first_call(object, kernel.first_call);
  object["rotated_copies"] = size.rotation ? Json(size.rotation->copies) : Json(nullptr);
  object["rotated_bytes"] = size.rotation ? Json(size.rotation->bytes) : Json(nullptr);
  object["error_bound"] = results.checked ? Json(error_bound(size.call.k)) : Json(nullptr);
  object["checked_elements"] = size.checked_elements;
  object["passed"] = passed(results, kernel);
  if (kernel.outcome == Outcome::skipped) object["skipped"] = kernel.reason;
  if (kernel.outcome == Outcome::failed) object["error"] = kernel.reason;
  object["x_naive"] = value_or_null(speed_up(size.naive, kernel.measurement));
  object["x_clblast"] = value_or_null(speed_up(peer_measurement(size, "clblast"), kernel.measurement));
  object["peer_difference_ratio"] = error_ratio(kernel.agreement);
  object["ceilings"] = ceilings_object(results.ceilings);
  object["peers"] = Json(Json::value_t::object);
  for (const PeerResult& peer : size.peers) object["peers"][peer.name] = peer_object(size.size(), peer);
  for (const MissingPeer& peer : results.missing_peers) {
    for (const std::string& name : peer.names) {
      object["peers"][name] = missing_peer_object(size.size(), name, peer);
    }
  }
  return object;
}

}  // namespace

void write_json(std::ostream& out, const Results& results) {
  Json rows(Json::value_t::array);
  for (const SizeResult& size : results.sizes) {
    for (const KernelResult& kernel : size.kernels) rows.push_back(kernel_object(results, size, kernel));
  }
  out << rows.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace clgemm::bench
