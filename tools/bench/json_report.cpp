// JSON: an array with an object for every kernel and size. What was not measured or not checked is null.
#include <nlohmann/json.hpp>

#include "report.hpp"

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
  object["gflops"] = measured ? Json(measured->gflops(size)) : Json(nullptr);
  object["call_ms"] = figure(&Measurement::call_ms);
  object["first_call_ms"] = figure(&Measurement::first_call_ms);
  object["clock"] = measured ? Json(measured->clock == Clock::device ? "device" : "host") : Json(nullptr);
  object["runs"] = measured ? measured->runs : 0;
  object["launches"] = measured ? measured->launches : 0;
  object["error_ratio"] = measured ? error_ratio(measured->check) : Json(nullptr);
}

Json peer_object(const Size& size, const PeerResult& peer) {
  Json object;
  object["version"] = peer.version;
  add_measurement(object, size, peer.measurement);
  const bool checked = peer.measurement && peer.measurement->check;
  object["passed"] = checked ? Json(!peer.measurement->failed()) : Json(nullptr);
  if (!peer.reason.empty()) object["error"] = peer.reason;
  return object;
}

void add_call(Json& object, const SgemmCall& call) {
  object["m"] = call.m;
  object["n"] = call.n;
  object["k"] = call.k;
  object["layout"] = call.layout == Layout::row_major ? "row" : "column";
  object["transpose_a"] = yes_or_no(call.transpose_a);
  object["transpose_b"] = yes_or_no(call.transpose_b);
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
  object["device"] = results.device.name;
  object["platform"] = results.device.platform_name;
  object["driver"] = results.device.driver_version;
  object["kernel"] = kernel.kernel;
  object["asked"] = kernel.asked;
  if (!size.label.empty()) object["label"] = size.label;
  object["parameters"] = Json(Json::value_t::object);
  for (const auto& [name, value] : kernel.parameters) object["parameters"][name] = value;
  add_call(object, size.call);
  add_measurement(object, size.size(), kernel.measurement);
  object["error_bound"] = results.checked ? Json(error_bound(size.call.k)) : Json(nullptr);
  object["checked_elements"] = size.checked_elements;
  object["passed"] = passed(results, kernel);
  if (kernel.outcome == Outcome::skipped) object["skipped"] = kernel.reason;
  if (kernel.outcome == Outcome::failed) object["error"] = kernel.reason;
  object["x_naive"] = value_or_null(speed_up(size.naive, kernel.measurement));
  object["x_clblast"] = value_or_null(speed_up(peer_measurement(size, "clblast"), kernel.measurement));
  object["peer_difference_ratio"] = error_ratio(kernel.agreement);
  object["peers"] = Json(Json::value_t::object);
  for (const PeerResult& peer : size.peers) object["peers"][peer.name] = peer_object(size.size(), peer);
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
