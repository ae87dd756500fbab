// CSV (RFC 4180): a line for every kernel and size, peers in columns of their own. What was not measured is
// empty.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "kernel/kernel_config.hpp"
#include "writing/output.hpp"

namespace clgemm::bench {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"') result += '"';
    result += character;
  }
  return result + '"';
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string transpose_letters(const SgemmCall& call) {
  return fmt::format("{}{}", call.transpose_a == Transpose::yes ? 't' : 'n',
                     call.transpose_b == Transpose::yes ? 't' : 'n');
}

std::optional<double> error_ratio(const Measurement& measured) {
  return measured.check ? std::optional(measured.check->error_ratio) : std::nullopt;
}

std::string passed(const Results& results, const KernelResult& kernel) {
  if (kernel.outcome == Outcome::failed) return "false";
  if (kernel.outcome == Outcome::skipped || !results.checked) return "";
  return kernel.passed() ? "true" : "false";
}

std::vector<std::string> kernel_fields(const Results& results, const SizeResult& size,
                                       const KernelResult& kernel) {
  const SgemmCall& call = size.call;
  std::vector<std::string> fields = {results.device.name,
                                     kernel.kernel,
                                     describe_values(kernel.parameters),
                                     std::to_string(call.m),
                                     std::to_string(call.n),
                                     std::to_string(call.k),
                                     call.layout == Layout::row_major ? "row" : "column",
                                     transpose_letters(call),
                                     fmt::format("{}", call.alpha),
                                     fmt::format("{}", call.beta)};
  const auto add = [&](const std::optional<double>& value) { fields.push_back(number(value)); };
  if (kernel.measurement) {
    const Measurement& measured = *kernel.measurement;
    for (const double value : {measured.median_ms, measured.min_ms, measured.p95_ms, measured.spread(),
                               measured.gflops(size.size()), measured.call_ms, measured.first_call_ms}) {
      add(value);
    }
    fields.push_back(std::to_string(measured.runs));
    add(error_ratio(measured));
    add(measured.host_ms);
  } else {
    fields.insert(fields.end(), 10, "");
  }
  add(kernel.first_call ? std::optional(kernel.first_call->cold_ms) : std::nullopt);
  add(kernel.first_call ? std::optional(kernel.first_call->warm_ms) : std::nullopt);
  fields.push_back(passed(results, kernel));
  add(speed_up(size.naive, kernel.measurement));
  add(speed_up(peer_measurement(size, "clblast"), kernel.measurement));
  for (const PeerResult& peer : size.peers) {
    const bool measured = peer.measurement.has_value();
    add(measured ? std::optional(peer.measurement->median_ms) : std::nullopt);
    add(measured ? std::optional(peer.measurement->gflops(size.size())) : std::nullopt);
    add(measured ? error_ratio(*peer.measurement) : std::nullopt);
  }
  fields.push_back(kernel.reason);
  return fields;
}

std::string line_of(const std::vector<std::string>& fields) {
  std::vector<std::string> cells;
  for (const std::string& field : fields) cells.push_back(quoted(field));
  return fmt::format("{}\n", fmt::join(cells, ","));
}

std::vector<std::string> titles(const Results& results) {
  std::vector<std::string> result = {"device",    "kernel",        "parameters", "m",           "n",
                                     "k",         "layout",        "transposes", "alpha",       "beta",
                                     "median_ms", "min_ms",        "p95_ms",     "spread",      "gflops",
                                     "call_ms",   "first_call_ms", "runs",       "error_ratio", "host_ms",
                                     "cold_ms",   "warm_ms",       "passed",     "x_naive",     "x_clblast"};
  if (!results.sizes.empty()) {
    for (const PeerResult& peer : results.sizes.front().peers) {
      for (const char* figure : {"median_ms", "gflops", "error_ratio"}) {
        result.push_back(fmt::format("{}_{}", peer.name, figure));
      }
    }
  }
  result.emplace_back("not_run");
  return result;
}

}  // namespace

void write_csv(std::ostream& out, const Results& results) {
  out << line_of(titles(results));
  for (const SizeResult& size : results.sizes) {
    for (const KernelResult& kernel : size.kernels) out << line_of(kernel_fields(results, size, kernel));
  }
}

}  // namespace clgemm::bench
